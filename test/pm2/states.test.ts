/** States that PM2's status word hides, in each answer: list, drift, plan, alerts and doctor. */
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findConditions } from "../../src/core/alerts/conditions.ts";
import { ecosystemDrift, execute, metricsShow, processList, projectDoctor, rolloutPlan } from "../../src/core/index.ts";
import type { ProcessRecord } from "../../src/core/pm2/process-record.ts";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";

const caller = { source: "cli", grants: ["read"] } as const;
const { own, ports } = runningPm2();
const link = own.link();

const find = async (name: string): Promise<ProcessRecord> =>
  (await link.list()).find((record) => record.name === name) as ProcessRecord;

/** Collects the answers about an app, which have to agree. */
async function answersAbout(name: string) {
  const { processes } = await execute(processList, ports, {}, caller);
  const listed = processes.find((process) => process.name === name);
  const drift = await execute(ecosystemDrift, ports, { environment: "dev" }, caller);
  const plan = await execute(rolloutPlan, ports, { environment: "dev" }, caller);
  const payload = await execute(metricsShow, ports, {}, caller);
  const { response } = await execute(projectDoctor, ports, { version: "0", offline: false }, caller);
  const alerts = findConditions({ kind: "metrics", payload }, new Map());
  expect(payload.processes.find((process) => process.name === name)?.state).toBe(listed?.state);
  expect(plan.steps.some(({ app }) => app === name) || plan.held.some((held) => held.name === name)).toBe(
    drift.drift.some((entry) => entry.name === name),
  );
  return {
    state: listed?.state,
    missing: drift.missingExpected.includes(name),
    alert: alerts.find(({ subject }) => subject.split(" ")[0] === name),
    doctor: response.issues.find(({ code, message }) => code.startsWith("PROCESS_") && message.startsWith(name))?.code,
  };
}

async function declare(app: { readonly name: string; readonly code: string; readonly [field: string]: unknown }) {
  const { code: _code, ...fields } = app;
  await own.run(app);
  const { script } = await find(app.name);
  own.pm2Folder([{ ...fields, cwd: own.folder, script }]);
}

test("an app with a restart delay that PM2 has given up on is not waiting for a restart", async () => {
  await declare({ name: "given", code: "process.exit(3)", restart_delay: 10, max_restarts: 2 });
  await expect.poll(async () => await find("given")).toMatchObject({ status: "waiting restart", pid: null });
  expect(await answersAbout("given")).toMatchObject({
    state: "given up",
    missing: true,
    alert: { rule: "not-online", details: expect.stringMatching(/^given is declared .* given up\.$/) as string },
    doctor: "PROCESS_ERRORED",
  });
});

test("a stopped service is missing in each answer, and its plan names who stopped it", async () => {
  await declare({ name: "stopped", code: IDLE });
  await link.stop(await find("stopped"));
  expect(await answersAbout("stopped")).toMatchObject({
    state: "stopped",
    missing: true,
    alert: { rule: "not-online", details: expect.stringContaining("stopped by a command to PM2 since") as string },
  });
});

test("a process without a pid is missing, and names the apps whose memory limit PM2 no longer watches", async () => {
  const interpreter = join(own.folder, "node");
  symlinkSync(process.execPath, interpreter);
  await own.run({ name: "limited", max_memory_restart: "500M" });
  await declare({ name: "nopid", code: IDLE, interpreter });
  rmSync(interpreter);
  await link.restart(await find("nopid"));
  const { processes } = await execute(processList, ports, {}, caller);
  const listed = processes.find(({ name }) => name === "nopid");
  expect(listed).toMatchObject({ status: "online", state: "missing", stateReason: "no pid" });
  expect(listed?.problem?.details).toContain("PM2 does not watch the memory limit of limited.");
  expect(await answersAbout("nopid")).toMatchObject({ missing: true, doctor: "PROCESS_WITHOUT_PID" });
});

test("a crash loop in cluster mode is one, although PM2 records exit code 0", async () => {
  await declare({
    name: "loop",
    code: "setTimeout(() => { throw new Error('boom') }, 400)",
    exec_mode: "cluster",
    max_restarts: 1000,
  });
  await expect.poll(async () => (await find("loop")).restartCount, { timeout: 20_000 }).toBeGreaterThanOrEqual(4);
  // Between an end and the next start, PM2 shows it as stopped.
  await expect.poll(async () => (await find("loop")).status).toBe("online");
  const { state, alert, doctor } = await answersAbout("loop");
  expect({ state, doctor }).toEqual({ state: "crash loop", doctor: "PROCESS_CRASH_LOOP" });
  expect(alert).toMatchObject({ rule: "crash-loop", details: expect.stringMatching(/^loop \(\d+\): /) as string });
});
