/** Applies and rollbacks with a real PM2. The processes themselves report their arguments and environment. */
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { InputOf } from "../../src/core/api/inputs.ts";
import {
  auditList,
  execute,
  processAct,
  releaseList,
  rolloutApply,
  rolloutPlan,
  rolloutRollback,
  SvcmError,
  type Ports,
} from "../../src/core/index.ts";
import { waitForFile } from "../support/appeared.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { longTest } from "../support/runs.ts";

const caller = { source: "cli", grants: ["read", "write"] } as const;
const CANARY = "canary-93b0";
const { own, ports } = runningPm2();

/** The app records its arguments and environment, or exits. It listens, because PM2 waits for that in a reload. */
const APP = `
if (process.env.FAILS) process.exit(3);
const { MODE, OLD, NEW } = process.env;
const seen = JSON.stringify({ MODE, OLD, NEW, args: process.argv.slice(2) });
const { renameSync, writeFileSync } = require("node:fs");
const path = __dirname + "/seen-" + process.pid;
writeFileSync(path + ".new", seen);
renameSync(path + ".new", path);
require("node:http").createServer().listen(0, "127.0.0.1");`;

const api = { name: "api", script: "./app.cjs", env: { MODE: "1", OLD: "1", API_TOKEN: CANARY } };
const web = { name: "web", script: "./app.cjs", exec_mode: "cluster", instances: 2, env: { MODE: "1" } };

beforeAll(async () => {
  writeFileSync(join(own.folder, "app.cjs"), APP);
  utimesSync(join(own.folder, "app.cjs"), 1e9, 1e9);
  // A process without a probe only has to stay online for this time.
  writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 200ms }");
});

/** Only the two apps, as they are declared at first. */
async function begin(): Promise<void> {
  const others = (await ports.processes.list()).filter(({ name }) => name !== "api" && name !== "web");
  for (const record of others) await ports.processes.remove(record);
  await apply([api, web]);
}

const apply = (apps: readonly object[], more: Partial<InputOf<"rollout.apply">> = {}, world = ports) => {
  own.pm2Folder(apps);
  return execute(rolloutApply, world, { environment: "dev", ...more }, caller);
};

const stepsLeft = async (): Promise<number> =>
  (await execute(rolloutPlan, ports, { environment: "dev" }, caller)).steps.length;

const refusal = (done: Promise<unknown>): Promise<unknown> =>
  done.then(
    () => "done",
    (error: unknown) => (error instanceof SvcmError ? { kind: error.kind, ...error.body } : error),
  );

/** The number and state of each process of an app, and what the process itself recorded. */
async function seen(name: string) {
  const records = (await ports.processes.list()).filter((record) => record.name === name);
  return Promise.all(
    records.map(async ({ pid, pmId, status }) => {
      const path = join(own.folder, `seen-${pid}`);
      // PM2 lists a process as online before its script runs.
      await waitForFile(path);
      return { pmId, status, ...(JSON.parse(readFileSync(path, "utf8")) as Seen) };
    }),
  );
}

interface Seen {
  readonly MODE?: string;
  readonly OLD?: string;
  readonly NEW?: string;
  readonly args: readonly string[];
}

const both = async (): Promise<unknown> => [await seen("api"), await seen("web")];

const CHANGED = [
  { ...api, args: "x y", env: { MODE: "2", NEW: "1", API_TOKEN: CANARY }, kill_timeout: 3000 },
  { ...web, instances: 3, env: { MODE: "2" } },
  { name: "new", script: "./app.cjs" },
];

describe("an apply and its rollback", () => {
  let before: unknown;
  let applied: unknown;
  let undone: Awaited<ReturnType<typeof rolloutRollback.run>> | undefined;

  beforeAll(async () => {
    await begin();
    before = await both();
  });

  test("an apply makes every process run as declared, and a second one has nothing to do", async () => {
    const { release } = await apply(CHANGED);
    expect(release).toMatchObject({ outcome: "applied", environment: "dev", source: "cli" });
    expect(JSON.stringify(release)).not.toContain(CANARY);
    expect(release?.steps.map(({ do: kind, app, phase }) => [kind, app, phase])).toEqual([
      ["update", "api", "done"],
      ["update", "web", "done"],
      ["start", "new", "done"],
      ["scale", "web", "done"],
      ["save", "", "done"],
    ]);
    applied = await seen("api");
    expect(applied).toEqual([{ pmId: expect.any(Number), status: "online", MODE: "2", NEW: "1", args: ["x", "y"] }]);
    expect(await seen("web")).toMatchObject([{ MODE: "2" }, { MODE: "2" }, { MODE: "2" }]);
    expect(await stepsLeft()).toBe(0);
    const touched = (): unknown =>
      ["pm2.log", "dump.pm2"].map((name) => [
        readFileSync(join(own.home, name), "utf8"),
        statSync(join(own.home, name)).mtimeMs,
      ]);
    const untouched = touched();
    expect((await apply(CHANGED)).release).toBeNull();
    // PM2 logs each call that changes a process.
    expect(touched()).toEqual(untouched);
  });

  test("values are only in PM2's records of a release and in its dump, readable only by their owner", async () => {
    const [release] = (await execute(releaseList, ports, {}, caller)).releases;
    const audit = await execute(auditList, ports, { limit: 1 }, caller);
    expect(audit.records).toMatchObject([{ action: "plan.apply", outcome: "succeeded" }]);
    expect(JSON.stringify([release, audit])).not.toContain(CANARY);
    const files = readdirSync(join(own.home, "svcm"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    const holding = files.filter((path) => readFileSync(path, "utf8").includes(CANARY));
    const names = new Set(holding.map((path) => path.slice(path.lastIndexOf("/") + 1)));
    expect(names).toEqual(new Set(["before.json", "boot.json"]));
    for (const path of [...files, join(own.home, "dump.pm2")]) expect(statSync(path).mode & 0o077, path).toBe(0);
  });

  test("an unknown release is refused with the accepted ones", async () => {
    const refused = execute(rolloutRollback, ports, { release: "29990101-000000-abcd" }, caller);
    expect(await refusal(refused)).toMatchObject({
      kind: "RELEASE_NOT_FOUND",
      details: expect.stringContaining("Accepted: "),
    });
  });

  test("a rollback restores every app's former definition and number", async () => {
    undone = await execute(rolloutRollback, ports, {}, caller);
    expect(undone.outcome).toBe("applied");
    expect(await seen("api")).toEqual((before as unknown[])[0]);
    expect(await seen("web")).toMatchObject([{ MODE: "1" }, { MODE: "1" }]);
    expect(await seen("new")).toEqual([]);
    own.pm2Folder([api, web]);
    expect(await stepsLeft()).toBe(0);
  });

  longTest("a rollback can be undone", async () => {
    await execute(rolloutRollback, ports, { release: undone!.id }, caller);
    expect(await seen("api")).toEqual(applied);
    expect(await seen("web")).toMatchObject([{ MODE: "2" }, { MODE: "2" }, { MODE: "2" }]);
  });
});

describe("another apply", () => {
  beforeEach(begin);

  describe("a plan that is out of date is refused, and nothing is changed", () => {
    longTest.each<[string, () => Promise<unknown> | void]>([
      ["the file changed", () => own.pm2Folder([{ ...api, env: { MODE: "3" } }, web])],
      [
        "a process changed",
        async () => {
          own.pm2Folder([{ ...api, kill_timeout: 999 }, web]);
          const restart = { action: "restart", scope: "ecosystem", name: "api", environment: "dev" } as const;
          await execute(processAct, ports, restart, caller);
          own.pm2Folder([{ ...api, env: { MODE: "2" } }, web]);
        },
      ],
    ])("%s", async (_what, change) => {
      own.pm2Folder([{ ...api, env: { MODE: "2" } }, web]);
      const { id } = await execute(rolloutPlan, ports, { environment: "dev" }, caller);
      await change();
      const before = await both();
      const refused = execute(rolloutApply, ports, { environment: "dev", plan: id! }, caller);
      expect(await refusal(refused)).toMatchObject({ kind: "PLAN_STALE", code: "PLAN_STALE" });
      expect(await both()).toEqual(before);
    });

    longTest("other choices", async () => {
      const apps = [
        { ...api, env: { MODE: "2" } },
        { ...web, env: { MODE: "2" } },
      ];
      own.pm2Folder(apps);
      const { id } = await execute(rolloutPlan, ports, { environment: "dev" }, caller);
      const before = await both();
      expect(await refusal(apply(apps, { plan: id!, apps: ["api"] }))).toMatchObject({ kind: "PLAN_STALE" });
      own.pm2Folder([apps[0]!]);
      const { id: kept } = await execute(rolloutPlan, ports, { environment: "dev" }, caller);
      const pruned = apply([apps[0]!], { plan: kept!, prune: true });
      expect(await refusal(pruned)).toMatchObject({ kind: "PLAN_STALE" });
      expect(await both()).toEqual(before);
    });

    longTest("the present plan is applied by its id", async () => {
      own.pm2Folder([{ ...api, env: { MODE: "2" } }, web]);
      const { id } = await execute(rolloutPlan, ports, { environment: "dev" }, caller);
      expect((await apply([{ ...api, env: { MODE: "2" } }, web], { plan: id! })).release?.plan).toBe(id);
    });
  });

  /** The same ports, but no time passes during the second step, so only the crash of its app ends it. */
  function untilCrash(): Ports {
    const { clock, releases } = ports;
    let stoppedMs: number | undefined;
    const add: typeof releases.append = async (id, event) => {
      if (event.event === "step") stoppedMs = event.step === 1 && event.phase === "begun" ? clock.elapsed() : undefined;
      await releases.append(id, event);
    };
    const elapsed = (): number => stoppedMs ?? clock.elapsed();
    return { ...ports, clock: { ...clock, elapsed }, releases: { ...releases, append: add } };
  }

  describe("a bad release", () => {
    longTest.each<[string, object[]]>([
      [
        "in fork mode",
        [
          { ...web, env: { MODE: "2" } },
          { ...api, env: { MODE: "2", FAILS: "1" } },
        ],
      ],
      [
        "in cluster mode",
        [
          { ...api, env: { MODE: "2" } },
          { ...web, env: { MODE: "2", FAILS: "1" } },
        ],
      ],
      [
        "of a new app",
        [{ ...api, env: { MODE: "2" } }, web, { name: "bad", script: "./app.cjs", env: { FAILS: "1" } }],
      ],
    ])("%s is reverted: every changed process runs as before", async (_what, apps) => {
      const before = await both();
      expect(await refusal(apply(apps, {}, untilCrash()))).toMatchObject({ kind: "APPLY_REVERTED" });
      expect(await both()).toEqual(before);
      expect((await ports.processes.list()).map(({ name }) => name).toSorted()).toEqual(["api", "web", "web"]);
      const [newest] = (await execute(releaseList, ports, {}, caller)).releases;
      expect(newest?.outcome).toBe("reverted");
      own.pm2Folder([api, web]);
      expect(await stepsLeft()).toBe(0);
    });
  });

  longTest("a rollback starts an app that was deleted in the meantime, with its former definition", async () => {
    await apply([{ ...api, args: "x", env: { MODE: "2" } }, web]);
    for (const record of await ports.processes.list()) if (record.name === "api") await ports.processes.remove(record);
    expect((await execute(rolloutRollback, ports, {}, caller)).outcome).toBe("applied");
    expect(await seen("api")).toEqual([
      { pmId: expect.any(Number) as number, status: "online", MODE: "1", OLD: "1", args: [] },
    ]);
    own.pm2Folder([api, web]);
    expect(await stepsLeft()).toBe(0);
  });

  longTest("while one apply runs, another apply is refused, and the error names the process", async () => {
    await ports.releases.withLock(1000, async () => {
      const second = own.ports().releases.withLock(1000, () => Promise.resolve("ran"));
      expect(await refusal(second)).toMatchObject({
        kind: "APPLY_LOCKED",
        details: expect.stringContaining(String(process.pid)),
      });
    });
  });

  longTest("the newest ten releases are kept", async () => {
    for (let count = 0; count < 11; count += 1) {
      const id = `20200101-0000${String(count).padStart(2, "0")}-abcd`;
      await ports.releases.create(id, { event: "end", outcome: "applied", at: "" });
    }
    await apply([{ ...api, env: { MODE: "2" } }, web]);
    expect(await ports.releases.list()).toHaveLength(10);
  });
});
