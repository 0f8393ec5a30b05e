/** The facts about the processes of a name, and what svcm says will happen next. */
import { describe, expect, test } from "vitest";
import { processShow, stateSentences } from "../../../src/core/events/operations/process-show.ts";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { LAST_ENDS } from "../../../src/core/events/why.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { record } from "../../support/process-record.ts";
import { playRollout } from "../rollout/played-rollout.ts";
import type { Fields } from "../rollout/loaded.ts";
import { api, exit, makePorts, NOW, START, type World } from "./why-world.ts";

const settings = (more: object) => ({ declaration: { ...record().declaration, settings: more } });
const STOPPED = { status: "stopped", pid: null, startedAt: null } as const;
const TASK = settings({ autorestart: false });

async function show(
  process: Partial<ProcessRecord>,
  world: World = {},
  apps: readonly Fields[] = [],
  more: object = {},
) {
  const rollout = playRollout();
  rollout.declare(apps);
  const processes = [api(process), api({ name: "other", pmId: 5 })];
  const made = makePorts({ processes, ...world });
  const all = {
    ...rollout.ports,
    ...made,
    processes: { ...rollout.ports.processes, ...made.processes },
    processLogs: { ...rollout.ports.processLogs, ...made.processLogs },
    releases: { ...rollout.ports.releases, ...made.releases },
    workspace: { ...rollout.ports.workspace, ...made.workspace },
    deployed: { ...rollout.ports.deployed, link: async () => undefined },
    stamps: { ...rollout.ports.stamps, ...made.stamps },
    telemetry: { environment: async () => "dev" },
    machine: { ...rollout.ports.machine, ...made.machine },
    ...more,
  };
  return await processShow.run(all as never, { name: "api" }, { source: "cli", grants: ["read", "logs"] });
}

const CRON = { cronRestart: "0 3 * * *" };
const AGAIN = "PM2 starts it again after an end.";
const MIB = 2 ** 20;
const next = (atMs: number | null) => ({ schedules: { next: async () => ({ timesMs: [atMs, atMs], zone: "UTC" }) } });

describe("what happens next", () => {
  test.each<[string, Partial<ProcessRecord>, readonly string[], World?]>([
    ["to a service", {}, [AGAIN]],
    ["to one with a delay", settings({ restartDelay: 1500 }), ["PM2 starts it again after an end, 1.5 s later."]],
    [
      "to one with a growing delay",
      settings({ expBackoffRestartDelay: 100, restartDelay: 1500 }),
      ["PM2 starts it again after an end, with a delay that grows."],
    ],
    ["to a task that runs", TASK, ["PM2 does not start it again after an end."]],
    [
      "to one with a memory limit",
      { memoryBytes: 20 * MIB, ...settings({ maxMemoryRestart: 300 * MIB }) },
      [AGAIN, "PM2 restarts it above 300.0 MiB; it uses 20.0 MiB."],
    ],
    [
      "to one whose memory is not known",
      settings({ maxMemoryRestart: 300 * MIB }),
      [AGAIN, "PM2 restarts it above 300.0 MiB."],
    ],
    ["to one that is watched", { watching: true }, [AGAIN, "PM2 restarts it if a watched file changes."]],
    ["to one with a schedule", CRON, [AGAIN, "Its schedule 0 3 * * * restarts it."]],
    ["to a stopped one", STOPPED, ["PM2 starts it only on request."]],
    ["to a stopped one with a schedule", { ...STOPPED, ...CRON }, [AGAIN, "Its schedule 0 3 * * * restarts it."]],
    [
      "to a task that has not run",
      { ...STOPPED, ...TASK, lastStartAt: null },
      ["PM2 starts it only on request: svcm run api."],
    ],
    [
      "to an errored one",
      { ...STOPPED, status: "errored" },
      ["PM2 has given up on it, and starts it only on request."],
    ],
    [
      "to one without a process",
      { pid: null },
      ["It has no pid, and PM2 does not notice: PM2 starts it only on request."],
    ],
  ])("%s", async (_what, process, sentences) => {
    expect((await show(process)).processes.map((one) => one.next)).toEqual([sentences]);
  });

  test("to a job is its next time, or that there is none", async () => {
    const job = { ...STOPPED, ...CRON, ...settings({ autorestart: false, cronRestart: "x" }) };
    const [own] = (await show(job, {}, [], next(NOW + 3_600_000))).processes;
    expect(own?.next[1]).toMatch(/^Its schedule 0 3 \* \* \* restarts it: .*09:00/);
    const [last] = (await show(job, {}, [], next(null))).processes;
    expect(last?.next[1]).toBe("Its schedule 0 3 * * * has no more times.");
  });
});

test.each<[readonly (readonly [string, string | null])[], readonly string[]]>([
  [[], []],
  [[["online", null]], ["Now: online."]],
  [
    [
      ["online", null],
      ["errored", null],
    ],
    ["Now: online, errored. PM2 does not start it again; svcm restart api does."],
  ],
  [
    [
      ["missing", null],
      ["online", null],
    ],
    ["Now: missing, online. PM2 lists it as online and does not notice; svcm restart api starts it."],
  ],
  [
    [
      ["failed", null],
      ["waiting", null],
    ],
    ["Now: failed, waiting. PM2 does not run it by itself; svcm run api does."],
  ],
  [[["given up", null]], ["Now: given up. PM2 does not start it again; svcm restart api does."]],
  [[["missing", null]], ["Now: missing. PM2 lists it as online and does not notice; svcm restart api starts it."]],
  [
    [["failed", "with exit code 3"]],
    ["Now: failed with exit code 3. PM2 does not run it by itself; svcm run api does."],
  ],
  [
    [["ended", "it has not run yet"]],
    ["Now: ended, it has not run yet. PM2 does not run it by itself; svcm run api does."],
  ],
])("the state %j is one line, with what helps", (states, lines) => {
  const all = states.map(([name, reason]) => ({ name, reason }));
  expect(stateSentences("api", all as never)).toEqual(lines);
});

test("an app that the file declares has its differences, and the tiers of its variables", async () => {
  const { declaration, env } = await show({}, {}, [{ env: { SVC_HTTP_PORT: "1", OTHER: "x" } }]);
  expect(declaration).toMatchObject({ environment: "dev", isDeclared: true, unknown: [] });
  expect(declaration?.drift.map(({ field, key, name }) => [name, field, key])).toEqual([
    ["api", "env", "OTHER"],
    ["api", "env", "SVC_HTTP_PORT"],
  ]);
  expect(env).toEqual([
    { key: "OTHER", tier: expect.any(String) },
    { key: "SVC_HTTP_PORT", tier: "never-exposed" },
  ]);
});

test("an app that no file declares says so, and shows no difference", async () => {
  const { declaration } = await show({}, {}, [{ name: "other" }]);
  expect(declaration).toMatchObject({ isDeclared: false, drift: [] });
});

test("the newest ends of an app are shown with its processes, and those of others are not", async () => {
  const { processes, ends, why } = await show({}, { lines: [START, ...exit(5), ...exit(9, 3)] });
  expect(processes).toMatchObject([{ pmId: 0, status: "online", kind: "service", restartCount: 0, uptimeMs: 60_000 }]);
  expect(ends.map(({ kind, exitCode }) => `${kind} ${exitCode}`)).toEqual(["exit 3", "exit 7"]);
  expect(why.recentEnds).toBe(2);
});

describe("the ports of a process", () => {
  const socket = { port: 3000, address: "::", pid: 9, program: "node", ancestors: [9], waiting: 0, origin: null };
  const machine = (listeners: readonly object[] | undefined) => ({
    machine: { ...playRollout().ports.machine, ...makePorts({}).machine, listeners: async () => listeners },
  });
  test.each<[string, Partial<ProcessRecord>, readonly object[] | undefined, readonly object[] | null]>([
    [
      "are those on which it listens",
      {},
      [socket, { ...socket, pid: 10, ancestors: [8], port: 1 }],
      [{ address: "::", port: 3000 }],
    ],
    ["are none if it listens on none", {}, [], []],
    ["are not known if the system does not show them", {}, undefined, null],
    ["are not known for a cluster, for which PM2's daemon listens", { execMode: "cluster" }, [], null],
    ["are known for a cluster that listens itself", { execMode: "cluster" }, [socket], [{ port: 3000 }]],
  ])("%s", async (_what, process, listeners, ports) => {
    const [own] = (await show(process, {}, [], machine(listeners))).processes;
    if (ports === null) expect(own?.ports).toBeNull();
    else expect(own?.ports).toMatchObject(ports);
  });
});

test("without PM2's list, the declaration is shown without differences, and says why", async () => {
  const down = new SvcmError("PM2_FAILED", { code: "PM2_TIMEOUT", details: "down" });
  const { declaration } = await show({}, { processes: down, lines: [START, ...exit(5)] }, [{ env: { A: "1" } }]);
  expect(declaration).toMatchObject({
    isDeclared: true,
    drift: [],
    unknown: [],
    error: "PM2's list could not be read",
  });
  const { declaration: known } = await show({}, {}, [{ env: { A: "1" } }, { name: "other", env: { A: "1" } }]);
  expect(known).not.toHaveProperty("error");
  expect(known?.drift.map(({ name }) => name)).toEqual(["api"]);
});

test("where nothing says which environment this machine is, the process is compared with none", async () => {
  const ecosystem = { dev: [], production: [] };
  const project = { hasDefault: false, services: { "": { folder: ".", env: {}, ecosystem } }, undecided: [] };
  const facts = { ...playRollout().ports.facts, project: async () => project };
  const { declaration } = await show({}, {}, [{}], { facts });
  expect(declaration?.error).toContain("svcm.yaml declares no default environment");
});

test("without an ecosystem file there is no declaration, and variables of the contract are those that run", async () => {
  const environment = { SVC_HTTP_FRAMEWORK: "digest", HOME: "digest" };
  const ecosystems = { list: async () => [], load: () => Promise.reject(new Error("none")), withheldValues: () => [] };
  const process = { declaration: { ...record().declaration, environment } };
  const { declaration, env } = await show(process, {}, [], { ecosystems });
  expect([declaration, env.map(({ key }) => key)]).toEqual([null, ["SVC_HTTP_FRAMEWORK"]]);
});

test("only the newest ends are shown", async () => {
  const { ends, why } = await show(
    {},
    { lines: [START, ...Array.from({ length: 12 }, (_, at) => exit(5 + at)).flat()] },
  );
  expect([ends.length, why.recentEnds]).toEqual([LAST_ENDS, 12]);
});
