import { describe, expect, test } from "vitest";
import type { DriftEntry } from "../../../src/core/api/drift.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { computeDrift } from "../../../src/core/rollout/drift.ts";
import type { ExpectedApp } from "../../../src/core/rollout/expected.ts";
import { unknownText } from "../../../src/core/rollout/report/words.ts";
import { runningRecord } from "../../support/counting-ports.ts";
import { stateOf } from "../../support/process-record.ts";
import { expectedOf, type Fields } from "./loaded.ts";

function drift(apps: readonly Fields[], running: readonly ProcessRecord[], modified: Record<string, number> = {}) {
  return driftFrom(expectedOf(apps), running, modified);
}

function driftFrom(
  expected: readonly ExpectedApp[],
  running: readonly ProcessRecord[],
  modified: Record<string, number> = {},
) {
  return computeDrift({
    expected,
    running,
    modifiedMs: (path) => modified[path],
    visibleKeys: new Set(["SVC_JWT_ISSUER"]),
    missingFolders: new Set(),
    stateOf,
  });
}

const fields = ({ drift: entries }: { drift: readonly DriftEntry[] }): string[] =>
  entries.map(({ field, key, state, pmIds }) => `${field}${key === null ? "" : ` ${key}`} ${state} ${pmIds.join(",")}`);

const env = (environment: Record<string, string>, more: Partial<ProcessRecord> = {}): ProcessRecord =>
  runningRecord({ declaration: { argsDigest: "[]", interpreterArgsDigest: "[]", environment, settings: {} }, ...more });

describe("apps", () => {
  test("an app that runs as declared does not drift", () => {
    expect(drift([{}], [runningRecord()])).toEqual({
      expectedProcessCount: 1,
      missingExpected: [],
      planSteps: 0,
      unexpected: [],
      drift: [],
      unknown: [],
    });
  });

  test("an app that PM2 does not know is missing, and a process that no file declares is unexpected", () => {
    const found = drift([{}, { name: "worker" }], [runningRecord(), runningRecord({ name: "old", pmId: 3 })]);
    expect(found).toMatchObject({ missingExpected: ["worker"], unexpected: ["old"], expectedProcessCount: 2 });
    expect(fields(found)).toEqual(["app unexpected 3", "app missing "]);
  });

  test.each([
    ["stopped", "stopped"],
    ["errored", "errored"],
    ["waiting restart", "given up"],
  ])("a service that PM2 shows as %s is missing", (status, running) => {
    const found = drift(
      [{}, { name: "worker" }],
      [runningRecord({ status, pid: null, startedAt: null }), runningRecord({ name: "worker", pmId: 1 })],
    );
    expect(found).toMatchObject({ missingExpected: ["api"], planSteps: 1 });
    expect(found.drift).toMatchObject([{ name: "api", field: "app", state: "missing", running, pmIds: [0] }]);
  });

  test("an app whose state nothing shows is in doubt", () => {
    const running = [runningRecord(), runningRecord({ pmId: 1, status: "dreaming" })];
    const found = drift([{ instances: 2, exec_mode: "fork" }], running);
    expect(found).toMatchObject({ missingExpected: [], planSteps: 0, drift: [] });
    expect(found.unknown).toEqual([{ app: "api", pmIds: [1], part: "state", reason: "PM2 shows it as dreaming" }]);
  });

  test("an app with one healthy instance is not missing, and its other instance is", () => {
    const pair = [runningRecord(), runningRecord({ pmId: 1, status: "errored", pid: null, startedAt: null })];
    const found = drift([{ instances: 2, exec_mode: "fork" }], pair);
    expect(found.missingExpected).toEqual([]);
    expect(fields(found)).toEqual(["app missing 1"]);
  });

  test("a job that waits and a task that has ended are in place", () => {
    const rest = { status: "stopped", pid: null, startedAt: null } as const;
    const job = { autorestart: false, cron_restart: "0 3 * * *" };
    expect(drift([job], [runningRecord(rest)])).toMatchObject({ missingExpected: [], drift: [], planSteps: 0 });
    expect(drift([{ autorestart: false }], [runningRecord(rest)])).toMatchObject({ drift: [], planSteps: 0 });
    const failed = drift([{ autorestart: false }], [runningRecord({ ...rest, exitCode: 1 })]);
    expect(failed).toMatchObject({ missingExpected: ["api"], drift: [{ running: "failed" }], planSteps: 0 });
    // PM2 got its definition without a run, so nothing shows that it would succeed.
    const unrun = { ...rest, lastStartAt: null };
    const { drift: entries, unknown, planSteps } = drift([{ autorestart: false }], [runningRecord(unrun)]);
    expect([entries, planSteps]).toEqual([[], 0]);
    expect(unknown.map((one) => unknownText(one, String))).toEqual([
      "api: cannot tell whether it works: it has not run yet. Next: svcm run api",
    ]);
    expect(drift([job], [runningRecord(unrun)]).unknown).toEqual([]);
  });

  test("instances are counted, also with PM2's `max`", () => {
    const cluster = [0, 1, 2].map((pmId) => runningRecord({ pmId, execMode: "cluster" }));
    expect(fields(drift([{ instances: 3 }], cluster))).toEqual([]);
    const found = drift([{ instances: "max" }], cluster);
    expect(found.drift).toMatchObject([{ field: "instances", declared: 4, running: 3, pmIds: [0, 1, 2] }]);
    expect(found.expectedProcessCount).toBe(4);
  });
});

describe("fields", () => {
  test.each<[string, Fields, Partial<ProcessRecord>]>([
    ["script", {}, { script: "/srv/other.js" }],
    ["cwd", { cwd: "/srv" }, { cwd: "/tmp" }],
    ["interpreter", {}, { interpreter: "bun" }],
    ["execMode", { exec_mode: "cluster" }, {}],
    ["watch", { watch: ["src"] }, {}],
    ["namespace", { namespace: "backend" }, {}],
  ])("drift of %s is reported", (field, app, more) => {
    expect(fields(drift([app], [runningRecord(more)]))).toEqual([`${field} different 0`]);
  });

  test.each<[string, Fields]>([
    ["args", { args: "--token CANARY" }],
    ["interpreterArgs", { node_args: ["--title=CANARY"] }],
    ["env CANARY_KEY", { env: { CANARY_KEY: "CANARY" } }],
  ])("drift of %s is reported without its value", (field, app) => {
    const found = drift([app], [env({ CANARY_KEY: "CANARY of before" })]);
    expect(fields(found)).toEqual([`${field} different 0`]);
    expect(JSON.stringify(found).replaceAll("CANARY_KEY", "")).not.toContain("CANARY");
  });

  test("the path of PM2's own Node.js equals the interpreter node", () => {
    expect(fields(drift([{}], [runningRecord({ interpreter: "/usr/bin/node" })]))).toEqual([]);
    expect(fields(drift([{}], [runningRecord({ interpreter: "/usr/bin/nodemon" })]))).toEqual([
      "interpreter different 0",
    ]);
  });

  test("processes with the same drift are one entry", () => {
    const cluster = [0, 1].map((pmId) => runningRecord({ pmId, execMode: "cluster", cwd: "/tmp" }));
    expect(fields(drift([{ instances: 2, cwd: "/srv" }], cluster))).toEqual(["cwd different 0,1"]);
  });

  test("the folder of an app that declares no cwd does not drift", () => {
    expect(fields(drift([{}], [runningRecord({ cwd: "/tmp" })]))).toEqual([]);
    expect(fields(drift([{ cwd: "" }], [runningRecord({ cwd: "/tmp" })]))).toEqual([]);
  });

  test("the folder that svcm.yaml declares for a file applies to its apps", () => {
    const start = { service: "", path: "/pm2/e.config.cjs", env: undefined, declaresCwd: true };
    const expected = expectedOf([{}], start);
    expect(fields(driftFrom(expected, [runningRecord({ cwd: "/tmp" })]))).toEqual(["cwd different 0"]);
  });
});

describe("environment", () => {
  test("keys drift if they differ, are absent, or are SVC_ keys that the file does not declare", () => {
    const running = env({ A: "old", SVC_GONE: "x", SVC_JWT_ISSUER: "x", EDITOR: "vi", PATH: "/bin" });
    expect(fields(drift([{ env: { A: "new", B: "1" } }], [running]))).toEqual([
      "env A different 0",
      "env B absent 0",
      "env SVC_GONE stale 0",
      "env SVC_JWT_ISSUER stale 0",
    ]);
  });

  test("every key that was removed from the file is stale in a process that svcm started, whatever its name", () => {
    const ofPm2 = { PM2_HOME: "h", PATH: "/bin", NODE_APP_INSTANCE: "0", PWD: "/", api: "{}", unique_id: "u" };
    const running = { ...ofPm2, KEPT: "1", LOG_LEVEL: "info", API_TOKEN: "x", http_proxy: "y" };
    const app = { env: { KEPT: "1" } };
    expect(fields(drift([app], [env(running)]))).toEqual([
      "env API_TOKEN stale 0",
      "env LOG_LEVEL stale 0",
      "env http_proxy stale 0",
    ]);
    for (const mark of ["PM2_USAGE", "PM2_PROGRAMMATIC", "PM2_DISCRETE_MODE"])
      expect(fields(drift([app], [env({ ...running, [mark]: "1" })]))).toEqual([]);
  });

  test("secrets and svcm's own settings are not stale, because they come from outside", () => {
    const running = env({ SVC_JWT_TOKEN_SECRET_KEY: "x", SVC_SERVICE_MANAGEMENT_PORT: "1" });
    expect(fields(drift([{}], [running]))).toEqual([]);
  });

  test("the block of the environment may apply, but not the block of another one", () => {
    const app = { env: { A: "1" }, env_prod: { A: "2" }, env_staging: { A: "3" } };
    expect(fields(drift([app], [env({ A: "1" })]))).toEqual([]);
    expect(fields(drift([app], [env({ A: "2" })]))).toEqual([]);
    expect(fields(drift([app], [env({ A: "3" })]))).toEqual(["env A different 0"]);
  });

  test.each([
    ["in their order", { 0: "3000", 1: "3001" }, []],
    ["with other ids, after an instance was replaced", { 3: "3000", 7: "3001" }, []],
    ["both with the first one", { 0: "3000", 1: "3000" }, ["env PORT different 1"]],
    ["with the numbers of instances that are gone", { 1: "3001", 2: "3002" }, ["env PORT different 1,2"]],
    ["one without", { 0: "3000", 1: undefined }, ["env PORT absent 1"]],
  ])("the numbers that PM2 counts for two instances: %s", (_how, ports, expected) => {
    const app = { env: { PORT: "3000" }, increment_var: "PORT", instances: 2 };
    const cluster = Object.entries(ports).map(([pmId, port]) =>
      env({ PM2_HOME: "h", ...(port !== undefined && { PORT: port }) }, { pmId: Number(pmId), execMode: "cluster" }),
    );
    expect(fields(drift([app], cluster))).toEqual(expected);
  });

  test("an env file is stale if it was written after the start", () => {
    const path = "/srv/.env";
    const startedAt = runningRecord().startedAt!;
    expect(fields(drift([{}], [runningRecord()], { [path]: startedAt - 1 }))).toEqual([]);
    expect(drift([{}], [runningRecord()], { [path]: startedAt + 1 }).drift).toMatchObject([
      { field: "envFile", state: "stale", declared: path, running: null },
    ]);
    const stopped = runningRecord({ startedAt: null, status: "stopped" });
    expect(fields(drift([{}], [stopped], { [path]: startedAt + 1 }))).toEqual([]);
  });
});

describe("settings", () => {
  const settings = (more: ProcessRecord["declaration"]["settings"]): ProcessRecord =>
    runningRecord({
      declaration: { argsDigest: "[]", interpreterArgsDigest: "[]", environment: {}, settings: more },
    });

  test.each<[string, Fields, ProcessRecord["declaration"]["settings"], unknown[]]>([
    ["killTimeout", { kill_timeout: 5000 }, { killTimeout: null }, [5000, null]],
    ["killTimeout", {}, { killTimeout: 5000 }, [null, 5000]],
    ["maxMemoryRestart", { max_memory_restart: "300M" }, { maxMemoryRestart: 1024 }, [314_572_800, 1024]],
    ["autorestart", { autorestart: false }, { autorestart: true }, [false, true]],
    ["waitReady", { wait_ready: true }, { waitReady: false }, [true, false]],
    ["uid", { uid: 1000 }, { uid: null }, [1000, null]],
    ["cronRestart", { cron_restart: "0 4 * * *" }, { cronRestart: null }, [null, null]],
    ["outFile", { out_file: "logs/CANARY.log" }, { outFile: "/srv/logs/other.log" }, [null, null]],
  ])("drift of %s is reported, and a text without its value", (field, app, running, [declared, now]) => {
    const found = drift([app], [settings(running)]).drift;
    expect(found).toEqual([{ name: "api", pmIds: [0], field, state: "different", key: null, declared, running: now }]);
  });

  test("a setting that only PM2's machine can resolve is not compared", () => {
    const running = settings({ uid: 33, gid: 33, outFile: "/x" });
    expect(fields(drift([{ user: "www-data", out_file: "~/out.log" }], [running]))).toEqual([]);
  });
});
