/** Jobs and tasks: PM2 has their definition, and nothing but the schedule and `svcm run` starts them. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import {
  ecosystemDrift,
  execute,
  heldText,
  processAct,
  processList,
  processRun,
  projectDoctor,
  rolloutApply,
  rolloutPlan,
} from "../../src/core/index.ts";
import { processRunBody } from "../../src/core/api/rollout-requests.ts";
import { actionText } from "../../src/core/rollout/report/words.ts";
import { post, testServer } from "../server/support.ts";
import { IDLE } from "../support/pm2-daemon.ts";
import { waitForFile } from "../support/appeared.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { quickSvcm } from "../support/svcm.ts";
import { longTest, sampleOrAll } from "../support/runs.ts";

const { own, ports } = runningPm2({ TZ: "Europe/Berlin" });
const caller = { source: "cli", grants: ["read", "act", "write"] } as const;
const runs = join(own.folder, "runs");
const input = { environment: "dev", minHealthyMs: 300, allowDirty: true };

const nightly = {
  name: "nightly",
  script: "./job.cjs",
  autorestart: false,
  cron_restart: "0 3 * * *",
  env: { K: "1" },
};
const clustered = { ...nightly, name: "clustered", exec_mode: "cluster" };
const web = (version: string) => ({ name: "web", script: "./web.cjs", env: { V: version } });

beforeAll(() => {
  writeFileSync(join(own.folder, "job.cjs"), JOB);
  writeFileSync(join(own.folder, "web.cjs"), IDLE);
  appendFileSync(runs, "");
});

const JOB = `require("node:fs").appendFileSync(${JSON.stringify(runs)}, process.env.name + " " + process.env.K + "\\n");
console.log("did it");
setTimeout(() => process.exit(Number(process.env.K) > 1 ? 7 : 0), 100);`;

const runsSoFar = (): string[] => readFileSync(runs, "utf8").split("\n").filter(Boolean);

async function states(): Promise<Record<string, string>> {
  const { processes } = await execute(processList, ports, {}, caller);
  return Object.fromEntries(
    processes.map(({ name, state, stateReason, problem }) => [
      name,
      [state, stateReason, problem?.code].filter(Boolean).join(" "),
    ]),
  );
}

test("an apply registers a job, changes a web app and a job, and never runs the job", async () => {
  for (const version of sampleOrAll(["1", "2", "3"], ["3"])) {
    own.pm2Folder([web(version), nightly, clustered]);
    expect((await execute(rolloutApply, ports, input, caller)).release?.outcome).toBe("applied");
  }
  expect((await execute(rolloutApply, ports, input, caller)).release).toBeNull();
  const { missingExpected, drift } = await execute(ecosystemDrift, ports, { environment: "dev" }, caller);
  expect({ missingExpected, drift }).toEqual({ missingExpected: [], drift: [] });
  own.pm2Folder([web("4"), { ...nightly, env: { K: "2" }, cron_restart: "30 4 * * *" }, clustered]);
  const plan = await execute(rolloutPlan, ports, { environment: "dev" }, caller);
  expect(plan.steps.map((step) => `${step.do} ${step.app}`)).toEqual(["update web", "register nightly", "save "]);
  await execute(rolloutApply, ports, input, caller);
  expect(await states()).toEqual({
    web: "online",
    nightly: expect.stringMatching(/^waiting next (?:\d{4}-\d\d-\d\d )?04:30 Europe\/Berlin$/) as string,
    clustered: expect.stringMatching(/^waiting next (?:\d{4}-\d\d-\d\d )?03:00 Europe\/Berlin$/) as string,
  });
  expect(runsSoFar()).toEqual([]);
});

longTest(
  "a start with the ecosystem file does not run a job, and `svcm run` runs it once and returns its result",
  async () => {
    const start = { action: "start", scope: "ecosystem", name: "nightly", environment: "dev" } as const;
    expect(await execute(processAct, ports, start, caller)).toMatchObject({
      affected: [],
      skipped: [{ name: "nightly", reason: "JOB_WAITS" }],
    });
    for (const many of [
      { action: "restart", scope: "ecosystem", environment: "dev" },
      { action: "restart", scope: "ecosystem", name: "nightly", environment: "dev" },
      { action: "reload", scope: "namespace", namespace: "default" },
      { action: "start", scope: "namespace", namespace: "default" },
    ] as const) {
      const { skipped } = await execute(processAct, ports, many, caller);
      expect(skipped.filter(({ reason }) => reason === "JOB_WAITS").map(({ name }) => name)).toContain("nightly");
    }
    expect(runsSoFar()).toEqual([]);
    const result = await execute(processRun, ports, { name: "nightly" }, caller);
    expect(result).toMatchObject({ outcome: "failed", exitCode: 7 });
    expect(runsSoFar()).toEqual(["nightly 2"]);
    expect((await states())["nightly"]).toMatch(/^waiting next .* JOB_FAILED$/);
    const { response } = await execute(projectDoctor, ports, { version: "0", offline: false }, caller);
    expect(response.issues.map(({ code }) => code)).toContain("JOB_FAILED");
    expect(await execute(processRun, ports, { name: "clustered" }, caller)).toMatchObject({ outcome: "unknown" });
    expect(runsSoFar()).toEqual(["nightly 2", "clustered 1"]);
    await expect(execute(processRun, ports, { name: "web" }, caller)).rejects.toMatchObject({
      body: { code: "NOT_A_JOB" },
    });
    mkdirSync(join(own.folder, "apps/backend-template/src/config"), { recursive: true });
    const repository = { root: own.folder, envFile: () => "", auditFile: join(own.folder, ".svcm/audit.jsonl") };
    const server = await testServer({ repository, world: () => ports });
    const answer = await post(server, { name: "clustered" }, {}, "/api/runtime/process/run");
    expect({ status: answer.status, ...processRunBody.parse(answer.json) }).toMatchObject({
      status: 200,
      outcome: "unknown",
    });
    expect((await post(server, { name: "web" }, {}, "/api/runtime/process/run")).json.code).toBe("NOT_A_JOB");
    expect(runsSoFar()).toEqual(["nightly 2", "clustered 1", "clustered 1"]);
    expect((await execute(rolloutApply, ports, input, caller)).release).toBeNull();
  },
);

longTest("a service that a user stopped stays stopped, is missing, and is started only by its name", async () => {
  await execute(processAct, ports, { action: "stop", name: "web" }, { ...caller, actor: "alice" });
  expect((await states())["web"]).toMatch(/^stopped by alice since \d\d:\d\d/);
  const drift = await execute(ecosystemDrift, ports, { environment: "dev" }, caller);
  expect(drift).toMatchObject({
    missingExpected: ["web"],
    drift: [{ name: "web", state: "missing", running: "stopped" }],
  });
  const plan = await execute(rolloutPlan, ports, { environment: "dev" }, caller);
  expect(plan).toMatchObject({ steps: [], held: [{ name: "web", state: "stopped", by: "alice" }] });
  expect((await execute(rolloutApply, ports, input, caller)).release).toBeNull();
  const named = await execute(rolloutApply, ports, { ...input, apps: ["web"] }, caller);
  expect(named.release?.steps.map((step) => `${step.do} ${step.app}`)).toEqual(["resume web", "save "]);
  expect((await states())["web"]).toBe("online");
  expect(existsSync(runs)).toBe(true);
});

longTest("a task that failed does not stop the change of another app, and only a request runs it again", async () => {
  const code = join(own.home, "code");
  writeFileSync(code, "0");
  const read = `require("node:fs").readFileSync(${JSON.stringify(code)}, "utf8")`;
  const note = `require("node:fs").appendFileSync(${JSON.stringify(runs)}, "migrate\\n")`;
  writeFileSync(join(own.folder, "migrate.cjs"), `${note}; process.exit(Number(${read}));`);
  const migrate = { name: "migrate", script: "./migrate.cjs", autorestart: false };
  const migrations = (): number => runsSoFar().filter((line) => line === "migrate").length;
  own.pm2Folder([web("5"), migrate]);
  await execute(rolloutApply, ports, { ...input, apps: ["web", "migrate"] }, caller);
  expect((await states())["migrate"]).toBe("ended");
  writeFileSync(code, "3");
  expect(await execute(processRun, ports, { name: "migrate" }, caller)).toMatchObject({ exitCode: 3 });
  const before = migrations();

  own.pm2Folder([web("6"), migrate]);
  const plan = await execute(rolloutPlan, ports, { environment: "dev" }, caller);
  expect(plan.steps.map((step) => `${step.do} ${step.app}`)).toEqual(["update web", "save "]);
  expect(plan.held).toMatchObject([{ name: "migrate", state: "failed", by: null }]);
  expect(plan.held.map((one) => heldText(one, String))).toEqual([
    expect.stringMatching(
      /^migrate \(id \d+\) is a task whose last run, begun \S+Z, failed, so no step runs it again; to run it: svcm run migrate$/,
    ),
  ]);
  expect((await execute(rolloutApply, ports, input, caller)).release?.outcome).toBe("applied");
  expect(migrations()).toBe(before);
  own.pm2Folder([web("6"), { ...migrate, env: { NEW: "1" } }]);
  const [renewed] = (await execute(rolloutPlan, ports, { environment: "dev" }, caller)).steps;
  expect(renewed && actionText(renewed)).toBe("give PM2 the definition without a run, which svcm run migrate begins");
  own.pm2Folder([web("6"), migrate]);
  writeFileSync(code, "0");
  const named = await execute(rolloutApply, ports, { ...input, apps: ["migrate"] }, caller);
  expect([named.release?.outcome, migrations()]).toEqual(["applied", before + 1]);

  own.pm2Folder([web("6"), { ...migrate, env: { NEW: "1" } }]);
  await execute(rolloutApply, ports, input, caller);
  // Its failure is no longer in PM2's list.
  for (const restart of [undefined, true] as const) {
    const request = { environment: "dev", ...(restart && { restart }) };
    const { steps, unknown } = await execute(rolloutPlan, ports, request, caller);
    expect(steps.map(({ app }) => app)).not.toContain("migrate");
    expect(unknown).toContainEqual(
      expect.objectContaining({ app: "migrate", part: "state", reason: "it has not run yet" }),
    );
  }
});

longTest("a task that a signal ended, such as that of the kernel's memory limit, fails its apply", async () => {
  writeFileSync(join(own.folder, "killed.cjs"), 'process.kill(process.pid, "SIGKILL");');
  own.pm2Folder([{ name: "killed", script: "./killed.cjs", autorestart: false }]);
  await expect(execute(rolloutApply, ports, { ...input, apps: ["killed"] }, caller)).rejects.toMatchObject({
    body: { code: "HEALTH_CRASHED", details: expect.stringContaining("It ended by SIGKILL.") as string },
  });
});

test("a run that a command stops or restarts has not succeeded", async () => {
  const begun = join(own.folder, "stopped-run");
  const code = `require("node:fs").writeFileSync(${JSON.stringify(begun)}, ""); setInterval(() => {}, 1e6);`;
  writeFileSync(join(own.folder, "stopped.cjs"), code);
  own.pm2Folder([{ ...nightly, name: "stopped", script: "./stopped.cjs" }]);
  await execute(rolloutApply, ports, { ...input, apps: ["stopped"] }, caller);
  const during = async (action: "stop" | "restart") => {
    rmSync(begun, { force: true });
    const run = execute(processRun, ports, { name: "stopped" }, caller);
    await waitForFile(begun);
    await execute(processAct, ports, { action, name: "stopped" }, caller);
    return await run;
  };
  expect(await during("stop")).toMatchObject({
    outcome: "failed",
    exitCode: null,
    details: expect.stringMatching(/^It did not end by itself: a command stopped it at \S+Z\.$/) as string,
  });
  expect(await during("restart")).toMatchObject({
    outcome: "failed",
    details: expect.stringContaining("svcm did not see this run end: PM2 started it again at ") as string,
  });
  await execute(processAct, ports, { action: "stop", name: "stopped" }, caller);
});

test("a caller that leaves ends neither the run nor its record, and before the start there is no run", async () => {
  const begun = join(own.folder, "begun");
  writeFileSync(
    join(own.folder, "slow.cjs"),
    `require("node:fs").writeFileSync(${JSON.stringify(begun)}, ""); setInterval(() => {}, 1e6);`,
  );
  own.pm2Folder([{ ...nightly, name: "slow", script: "./slow.cjs" }]);
  await execute(rolloutApply, ports, { ...input, apps: ["slow"] }, caller);
  const left = { ...caller, signal: AbortSignal.abort() };
  await expect(execute(processRun, ports, { name: "slow" }, left)).rejects.toBe(left.signal.reason);
  expect(existsSync(begun)).toBe(false);
  const leaving = new AbortController();
  const run = execute(processRun, ports, { name: "slow" }, { ...caller, signal: leaving.signal });
  await waitForFile(begun);
  leaving.abort();
  expect(await run).toMatchObject({ outcome: "running", exitCode: null });
  expect((await states())["slow"]).toMatch(/^running since/);
  const records = readFileSync(join(own.home, ".svcm/audit.jsonl"), "utf8").split("\n");
  expect(records.filter((line) => line.includes('"process.run"') && line.includes('"slow"')).map(outcomeOf)).toEqual([
    "started",
    "succeeded",
  ]);
  await execute(processAct, ports, { action: "stop", name: "slow" }, caller);

  const interrupt = (name: string | symbol): void => {
    if (name === "SIGINT") setImmediate(() => process.emit("SIGINT"));
  };
  process.on("newListener", interrupt);
  onTestFinished(() => void process.off("newListener", interrupt));
  const waiting = await quickSvcm(["wait", "slow"], { cwd: own.folder, env: { PM2_HOME: own.home } });
  expect(waiting).toEqual({ status: 130, stdout: "", stderr: "" });
});

const outcomeOf = (line: string): string => (JSON.parse(line) as { outcome: string }).outcome;

test("an app that PM2 refuses is an error of the plan, and an apply refuses before it touches another", async () => {
  const cron = { ...nightly, name: "broken", cron_restart: "61 25 * * *" };
  own.pm2Folder([web("7"), cron, { ...nightly, name: "watch" }]);
  const { issues, steps } = await execute(rolloutPlan, ports, { environment: "dev" }, caller);
  expect(steps.map((step) => `${step.do} ${step.app}`)).toContain("register broken");
  expect(issues.map(({ code, severity }) => `${severity} ${code}`).toSorted()).toEqual([
    "error ECOSYSTEM_CRON_INVALID",
    "error ECOSYSTEM_VARIABLE_RESERVED",
  ]);
  const pids = (await ports.processes.list()).map(({ pid }) => pid);
  await expect(execute(rolloutApply, ports, input, caller)).rejects.toMatchObject({ kind: "APPLY_REFUSED" });
  expect((await ports.processes.list()).map(({ pid }) => pid)).toEqual(pids);
  const rest = await execute(rolloutApply, ports, { ...input, apps: ["web"] }, caller);
  expect(rest.release?.outcome).toBe("applied");
});

longTest(
  "an app that ends with 0, one of its stop_exit_codes, is applied and restarted as one that has ended",
  async () => {
    writeFileSync(join(own.folder, "import.cjs"), "setTimeout(() => process.exit(Number(process.env.CODE)), 100);");
    const importer = (CODE: string) => ({
      name: "import",
      script: "./import.cjs",
      stop_exit_codes: [0],
      env: { CODE },
    });
    const apply = (app: object) => {
      own.pm2Folder([app]);
      return execute(rolloutApply, ports, { ...input, apps: ["import"] }, caller);
    };
    expect((await apply(importer("0"))).release?.outcome).toBe("applied");
    expect((await apply(importer("0"))).release).toBeNull();
    const act = (action: "restart" | "start") => execute(processAct, ports, { action, name: "import" }, caller);
    expect([(await act("restart")).ok, (await act("start")).ok]).toEqual([true, true]);
    // One that served must not end so: its new version has gone away.
    own.pm2Folder([{ ...importer("0"), script: "./web.cjs" }]);
    await execute(rolloutApply, ports, { ...input, apps: ["import"] }, caller);
    await expect(apply(importer("0"))).rejects.toMatchObject({ body: { code: "HEALTH_CRASHED" } });
    expect(await states()).toMatchObject({ import: "online" });
  },
);
