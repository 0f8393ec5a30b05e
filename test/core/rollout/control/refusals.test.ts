/** Refusals of a command to PM2 before it begins, and what an act leaves behind. */
import { describe, expect, test } from "vitest";
import { SvcmError } from "../../../../src/core/api/errors.ts";
import type { Listener } from "../../../../src/core/files/reading.ts";
import {
  declarationRefusal,
  leftOverWarnings,
  noEcosystem,
  scriptMissing,
} from "../../../../src/core/rollout/control/refusals.ts";

const place = { path: "/srv/pm2/ecosystem.config.cjs", root: "/srv" };
const refusalOf = (more: object) =>
  declarationRefusal(
    { name: "api", blocks: [], missingFolder: undefined, missingScript: undefined, ...more } as never,
    place,
  )?.body;

describe("a declaration", () => {
  test("without a fault is not refused", () => {
    expect(refusalOf({})).toBeUndefined();
  });

  test.each([
    [
      { missingFolder: "/gone", missingScript: "/gone/api.js" },
      "PROCESS_FOLDER_MISSING",
      'The app "api" runs in the folder /gone, which does not exist.',
      "Create the folder, or correct cwd in the ecosystem file.",
    ],
    [
      { missingScript: "/srv/api.js", blocks: ["env_production"] },
      "ECOSYSTEM_SCRIPT_MISSING",
      'The app "api" has the script /srv/api.js, which does not exist.',
      expect.stringContaining("or correct script in the ecosystem file."),
    ],
    [
      { blocks: ["env_production", "env_ci"] },
      "ECOSYSTEM_ENV_BLOCK_UNUSED",
      'The app "api" has the block env_production, which only "pm2 start --env production" applies: svcm does not read it.',
      "Move the variables of env_production to env, or name the block in svcm.yaml: ecosystem: { production: { file: pm2/ecosystem.config.cjs, env: production } }",
    ],
  ])("with %j is refused", (more, code, details, hint) => {
    expect(refusalOf(more)).toMatchObject({ code, details, hint });
  });

  test("without a script says so", () => {
    expect(scriptMissing("api", "", "x").body).toMatchObject({ details: "api has no script.", hint: "x" });
  });

  test("of an environment that has no file names those that have one", () => {
    const file = { name: "ci", path: "/srv/e.cjs" } as never;
    const start = "The environment ci has no ecosystem file, so no app is declared.";
    expect(noEcosystem(file, []).body.details).toBe(start);
    expect(noEcosystem(file, ["dev", "prod"]).body.details).toBe(`${start} These environments have one: dev, prod.`);
  });
});

describe("what an act left behind", () => {
  const HOME = "/pm2";
  const listener = (name: string, port: number): Listener => ({
    address: "::",
    port,
    waiting: 0,
    pid: 30,
    ancestors: [1],
    program: "node",
    origin: { pm2Home: HOME, name, pmId: 0 },
  });
  /** The listeners of each look; the last ones stay. */
  const found = async (looks: readonly (readonly Listener[] | Error)[], list: readonly object[] | Error = []) => {
    let nowMs = 0;
    let count = 0;
    const answer = async <T>(value: T | Error): Promise<T> => {
      if (value instanceof Error) throw value;
      return value;
    };
    const ports = {
      clock: { elapsed: () => nowMs, sleep: async (ms: number) => void (nowMs += ms) },
      machine: { listeners: () => answer(looks[Math.min(count++, looks.length - 1)]) },
      processes: { list: () => answer(list) },
      workspace: { pm2Home: HOME },
    };
    const warnings = await leftOverWarnings(ports as never, new Set(["web"]));
    return { messages: warnings.map(({ message }) => message), warnings, waitedMs: nowMs };
  };

  test("is named with the command that ends it, after it had time to end", async () => {
    const { messages, warnings, waitedMs } = await found([[listener("web", 3000), listener("web", 3001)]]);
    const taken = (port: number) =>
      `Port ${port} is taken by node, pid 30, a left-over process of web. To end it: kill 30`;
    expect(messages).toEqual([taken(3000), taken(3001)]);
    expect(warnings[0]).toMatchObject({ code: "PROCESS_LEFT_OVER", severity: "warning", path: ["apps", "web"] });
    expect(waitedMs).toBeGreaterThanOrEqual(3000);
    expect(waitedMs).toBeLessThan(4000);
  });

  test("is nothing once it has ended", async () => {
    const ended = await found([[listener("web", 3000)], []]);
    expect([ended.messages, ended.waitedMs > 0, ended.waitedMs < 3000]).toEqual([[], true, true]);
    expect((await found([[]])).waitedMs).toBe(0);
  });

  test("is not that of another app, nor what runs, and is not known without PM2's list or the sockets", async () => {
    expect((await found([[listener("other", 3000)]])).messages).toEqual([]);
    const owner = { name: "web", pid: 30, execMode: "fork" };
    expect((await found([[listener("web", 3000)]], [owner])).messages).toEqual([]);
    expect((await found([new Error("no sockets")])).messages).toEqual([]);
    const silent = new SvcmError("PM2_FAILED", { code: "PM2_TIMEOUT" });
    expect((await found([[listener("web", 3000)]], silent)).messages).toEqual([]);
    const absent = new SvcmError("PM2_FAILED", { code: "PM2_NOT_RUNNING" });
    expect((await found([[listener("web", 3000)]], absent)).messages).toHaveLength(1);
  });
});
