/** A daemon that is renewed, beside the former one or in its unit, and each way back. The machine is played. */
import { describe, expect, test } from "vitest";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { daemonRenew, type DaemonRenewResponse } from "../../../src/core/boot/operations/daemon.ts";
import type { UnitFacts } from "../../../src/core/boot/ports.ts";
import type { DaemonProcess } from "../../../src/core/pm2/port-daemons.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { boot, daemon, HOME, online, saved, unit } from "./facts.ts";

const caller = { source: "cli", actor: "ann", grants: ["read", "write", "admin"] } as const;
const up = (more: Partial<ProcessRecord> = {}): ProcessRecord => online({ startedAt: 1, lastStartAt: 1, ...more });
const NEW_NODE = "/opt/node/bin/node";
const beside = daemon({ group: "/user.slice/session-3.scope" });

interface Machine {
  readonly units?: readonly UnitFacts[];
  readonly daemons?: readonly DaemonProcess[];
  readonly running?: readonly ProcessRecord[];
  /** After the renewal. */
  readonly after?: readonly ProcessRecord[];
  readonly standing?: object | null;
  /** Names that do not start in the new daemon. */
  readonly failing?: readonly string[];
  readonly nodeAfter?: string;
  readonly unitFails?: boolean;
  readonly link?: string;
}

function machine({
  units = [],
  daemons = [beside],
  running = [up()],
  standing = null,
  failing = [],
  ...more
}: Machine) {
  const calls: string[] = [];
  const noted: unknown[] = [];
  let isRenewed = false;
  let nowMs = 0;
  const note = (text: string): void => void calls.push(text);
  const restored = (names: readonly string[]) =>
    names.map((name) => ({
      name,
      pmId: 0,
      outcome: failing.includes(name) ? "failed" : "started",
      reason: failing.includes(name) ? "no port" : null,
    }));
  const list = async () => (isRenewed ? (more.after ?? running) : running);
  const locked =
    (name: string) =>
    async (...args: unknown[]) => {
      note(`lock ${name}`);
      return await (args.at(-1) as () => Promise<unknown>)();
    };
  const ports = {
    workspace: { root: "/srv", pm2Home: HOME },
    host: { randomId: () => "id", digest: () => "abcdefghij" },
    clock: { now: () => nowMs, elapsed: () => nowMs, sleep: async (ms: number) => void (nowMs += ms) },
    audit: {
      append: async ({ outcome, processes }: { outcome: string; processes?: unknown }) => {
        note(outcome);
        if (outcome === "started") noted.push(processes);
      },
    },
    files: { read: () => Promise.reject(new Error("x")) },
    units: {
      read: async () => ({
        ...boot().system,
        current: units.length === 0 ? boot().system.current : { name: "root", uid: 0, folder: "/root" },
        units,
      }),
      program: () => ({ node: "/usr/bin/node", svcm: "/usr/bin/svcm" }),
      findUser: (name: string) => ({ name, uid: 1001, folder: "/home/deploy" }),
      enable: async ({ text, name }: { text: string; name: string }) =>
        note(`enable ${name}${text.includes(NEW_NODE) ? " new" : ""}`),
      disable: async ({ name }: { name: string }) => note(`disable ${name}`),
      control: async (verb: string, { name }: { name: string }) => {
        note(`${verb} ${name}`);
        if (more.unitFails === true && calls.filter((one) => one.startsWith("restart")).length === 1)
          throw new SvcmError("BOOT_FAILED", { details: "It does not start." });
        isRenewed = true;
      },
    },
    daemons: {
      list: async () => daemons,
      libraryVersion: "7.0.4",
      nodeVersion: async () => (isRenewed ? (more.nodeAfter ?? "22.0.0") : "20.20.2"),
      versionOf: async () => "22.0.0",
      renewal: () => standing,
    },
    savedLists: { read: async () => saved(running) },
    deployed: { link: async () => more.link, withLock: locked("deploy") },
    releases: {
      withLock: locked("apply"),
      list: async () => [],
      // So that no process is compared with a declaration afterwards.
      recordedEnvironment: () => Promise.reject(new SvcmError("PM2_FAILED")),
    },
    processes: {
      list,
      ownProcess: () => ({ pids: [], pm2: null }),
      digest: (text: string) => text,
      withLock: locked("start"),
      renewal: {
        begin: async (node: string) => (
          note(`begin ${node}`),
          { before: running, names: [...new Set(running.map(({ name }) => name)), "pm2-logrotate"] }
        ),
        move: async (name: string) => ((isRenewed = true), note(`move ${name}`), restored([name])),
        turnBack: async () => (note("turn back"), restored(["api"])),
        end: async () => note("end"),
      },
    },
  };
  return { ports: ports as never, calls, noted };
}

async function renew(of: Machine, input: object = {}) {
  const { ports, calls, noted } = machine(of);
  const answer: unknown = await daemonRenew
    .run(ports, { node: NEW_NODE, goBack: false, ...input }, caller)
    .catch((error: unknown) => error);
  const body = answer instanceof SvcmError ? answer.body : undefined;
  return {
    answer: answer as DaemonRenewResponse,
    code: body?.code,
    details: body?.details,
    calls: calls.filter((one) => !one.startsWith("lock")),
    all: calls,
    noted,
  };
}

describe("beside the former daemon", () => {
  test("each app moves, and the former daemon ends last", async () => {
    const { answer, calls, all, noted } = await renew({ running: [up(), up({ name: "jobs", pmId: 1 })] });
    expect(calls).toEqual([
      "started",
      `begin ${NEW_NODE}`,
      "move api",
      "move jobs",
      "move pm2-logrotate",
      "end",
      "succeeded",
    ]);
    expect(answer).toMatchObject({
      state: "renewed",
      unit: null,
      goesOnSince: null,
      before: { pid: 77, pm2: "7.0.4", node: "20.20.2" },
      after: { node: "22.0.0" },
    });
    expect(answer.processes).toHaveLength(3);
    expect(all.slice(0, 2)).toEqual(["lock apply", "lock start"]);
    expect(noted).toEqual([["api", "jobs"].map((name) => ({ name, pmId: null, pm2Home: HOME }))]);
  });

  test("no deploy runs at the same time, if there is a deploy root", async () => {
    expect((await renew({ link: "/d/current" })).all.slice(0, 3)).toEqual(["lock deploy", "lock apply", "lock start"]);
  });

  test("the first app that does not start takes all of them back", async () => {
    const { code, details, calls } = await renew({
      running: [up(), up({ name: "jobs", pmId: 1 })],
      failing: ["api"],
    });
    expect(calls).toEqual(["started", `begin ${NEW_NODE}`, "move api", "turn back", "failed"]);
    expect(code).toBeDefined();
    expect(details).toContain("api did not start: no port");
    expect(details).toContain("The former daemon has everything but api");
  });

  test("a list that is not as before takes all of them back", async () => {
    const { details, calls } = await renew({ after: [up({ script: "/srv/other.js" })] });
    expect(calls.slice(-2)).toEqual(["turn back", "failed"]);
    expect(details).toContain("api is not as it was before (values: script)");
    expect(details).toContain("The former daemon runs the apps again");
  });

  test("one that was cut off goes on, or goes back", async () => {
    const standing = { startedAtMs: 0, step: "begun", unit: null };
    expect((await renew({ standing })).answer).toMatchObject({
      state: "renewed",
      goesOnSince: "1970-01-01T00:00:00.000Z",
    });
    const back = await renew({ standing }, { goBack: true });
    expect([back.answer.state, back.calls]).toEqual(["returned", ["started", "turn back", "succeeded"]]);
    const own = await renew({ standing: { ...standing, step: "back" } });
    expect([own.answer.state, own.calls]).toEqual(["returned", ["started", "turn back", "succeeded"]]);
  });

  test.each<[string, Machine, object, RegExp, RegExp]>([
    [
      "an app is launched",
      { running: [online({ status: "launching" })] },
      {},
      /^Nothing was touched: api is launching\.$/,
      /Remove what is named/,
    ],
    ["there is nothing to go back to", {}, { goBack: true }, /^Nothing was touched: /, /To see what runs/],
  ])("nothing is touched if %s", async (_what, of, input, details, hint) => {
    const { answer, calls, ...found } = await renew(of, input);
    expect(found.code).toBe("RENEW_REFUSED");
    expect(calls).not.toContain("started");
    expect(found.details).toMatch(details);
    expect((answer as unknown as SvcmError).body.hint).toMatch(hint);
  });
});

describe("in its unit", () => {
  const own = unit();
  const inside: Machine = { units: [own], daemons: [daemon()] };

  test("the unit is written with the new Node.js, and restarted", async () => {
    const { answer, calls } = await renew(inside);
    expect(calls).toEqual([
      "started",
      `begin ${NEW_NODE}`,
      `enable ${own.name} new`,
      `restart ${own.name}`,
      "end",
      "succeeded",
    ]);
    expect(answer).toMatchObject({
      state: "renewed",
      unit: { name: own.name, replaced: [] },
      processes: [{ name: "api", outcome: "started", reason: null }],
    });
    const rest = await renew({ ...inside, running: [online({ status: "stopped", pid: null })] });
    expect(rest.answer.processes).toMatchObject([{ outcome: "at rest" }]);
  });

  test.each<[string, Machine, string]>([
    ["runs another Node.js", { nodeAfter: "20.20.2" }, "the daemon runs Node.js 20.20.2, not 22.0.0"],
    ["has another list", { after: [] }, "api is not as it was before"],
    ["does not start", { unitFails: true }, "It does not start. svcm-pm2-deploy.service, with"],
  ])("the former text of the unit returns if the new daemon %s", async (_what, more, reason) => {
    const { calls, details } = await renew({ ...inside, units: [{ ...own, text: "former" }], ...more });
    expect(details).toContain(reason);
    expect(details).toContain(`${own.name}, with its former Node.js, runs the apps again`);
    expect(calls.slice(4)).toEqual(["turn back", `enable ${own.name}`, `restart ${own.name}`, "end", "failed"]);
  });

  test("a unit of PM2 is replaced, and returns without that of svcm", async () => {
    const pm2Unit = unit({ name: "pm2.service", starts: "saved list" });
    const of = { units: [pm2Unit], daemons: [daemon({ group: "/system.slice/pm2.service" })] };
    expect((await renew(of)).answer.unit).toEqual({ name: own.name, replaced: ["pm2.service"] });
    const back = await renew({ ...of, nodeAfter: "20.20.2" });
    expect(back.calls.slice(4)).toEqual(["turn back", "restart pm2.service", "end", "failed"]);
    const both = await renew(
      {
        units: [pm2Unit, { ...own, isEnabled: false }],
        daemons: of.daemons,
        standing: { startedAtMs: 0, step: "begun", unit: { name: "pm2.service", scope: "system", ownText: null } },
      },
      { goBack: true },
    );
    expect(both.calls).toEqual([
      "started",
      "turn back",
      `stop ${own.name}`,
      `disable ${own.name}`,
      "restart pm2.service",
      "end",
      "succeeded",
    ]);
  });

  test("whose former Node.js is gone cannot return", async () => {
    const { code, details, calls } = await renew({
      ...inside,
      daemons: [daemon({ nodeFile: "gone" as never })],
      nodeAfter: "20.20.2",
    });
    expect(code).toBe("RENEW_UNFINISHED");
    expect(details).toContain("The unit cannot return to its former Node.js, /usr/bin/node: it is gone.");
    expect(calls).not.toContain("turn back");
  });
});
