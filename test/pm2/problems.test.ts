/** Problems that PM2's status hides, in every list of processes. */
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { execute, metricsShow, processList, processShow } from "../../src/core/index.ts";
import type { ProcessRecord } from "../../src/core/pm2/process-record.ts";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { svcm } from "../support/svcm.ts";
import { longTest } from "../support/runs.ts";

const caller = { source: "cli", grants: ["read"] } as const;
const { own } = runningPm2();
const link = own.link();

async function named(name: string): Promise<ProcessRecord> {
  return (await link.list()).find((record) => record.name === name)!;
}

async function problems(): Promise<Record<string, string | undefined>> {
  const ports = own.ports();
  const { processes } = await execute(processList, ports, {}, caller);
  const payload = await execute(metricsShow, ports, {}, caller);
  const listed = Object.fromEntries(processes.map(({ name, problem }) => [name, problem?.code]));
  expect(Object.fromEntries(payload.processes.map(({ name, problem }) => [name, problem?.code]))).toEqual(listed);
  return listed;
}

longTest("a process whose folder does not exist has a problem", async () => {
  const cwd = join(own.folder, "release");
  mkdirSync(cwd);
  await own.run({ name: "runs", cwd });
  await own.run({ name: "never-ran", cwd: join(own.folder, "nowhere") });
  expect(await named("never-ran")).toMatchObject({ status: "online", pid: null });
  expect(await problems()).toEqual({ runs: undefined, "never-ran": "PROCESS_FOLDER_MISSING" });
  rmSync(cwd, { recursive: true });
  expect(await problems()).toEqual({ runs: "PROCESS_FOLDER_MISSING", "never-ran": "PROCESS_FOLDER_MISSING" });
  // The list names `svcm why` as the next step.
  const { why } = await execute(processShow, own.ports(), { name: "runs", environment: "dev" }, caller);
  expect(why.now).toEqual([`The folder ${cwd} does not exist. Its next start fails.`]);
});

test("the details of a name that PM2 does not know are refused", async () => {
  const shown = execute(processShow, own.ports(), { name: "nothing", environment: "dev" }, caller);
  await expect(shown).rejects.toMatchObject({ kind: "PROCESS_NOT_FOUND" });
});

longTest("process list and metrics show list the problems of processes below the table", async () => {
  for (const args of [
    ["process", "list"],
    ["metrics", "show"],
  ]) {
    const { code, stdout } = await svcm(args, { root: own.folder, env: { PM2_HOME: own.home } });
    expect(code).toBe(0);
    const rows = stdout.split("\n").filter((line) => line.startsWith("PROCESS_"));
    expect(rows).toEqual([
      expect.stringMatching(/^PROCESS_FOLDER_MISSING never-ran \(id \d+\): .*\/nowhere/),
      expect.stringMatching(/^PROCESS_FOLDER_MISSING runs \(id \d+\): .*\/release/),
    ]);
  }
  await own.run({ name: "healthy" });
  const { stdout } = await svcm(["process", "list"], { root: own.folder, env: { PM2_HOME: own.home } });
  expect(stdout).toMatch(/^healthy +\d+ +online/m);
  expect(stdout).not.toMatch(/^PROCESS_\S+ healthy/m);
});

longTest("a process whose interpreter is missing has no pid", async () => {
  const interpreter = join(own.folder, "node");
  symlinkSync(process.execPath, interpreter);
  await own.run({ name: "no-interpreter", interpreter });
  rmSync(interpreter);
  await link.restart(await named("no-interpreter"));
  expect(await problems()).toMatchObject({ "no-interpreter": "PROCESS_WITHOUT_PID" });
});

longTest("a crash loop is a problem, and requested restarts are not, with any exit code", async () => {
  const code = `process.on("SIGINT", () => process.exit(1)); process.send("ready"); ${IDLE}`;
  await own.run({ name: "restarted", code, wait_ready: true });
  for (let count = 0; count < 4; count += 1) await link.restart(await named("restarted"));
  expect(await named("restarted")).toMatchObject({ restartCount: 4, exitCode: 1 });
  await own.run({ name: "loop", code: `setTimeout(() => process.exit(1), 1500);`, max_restarts: 1000 });
  // PM2 itself counts none of these ends as unstable, because each run lasts longer than a second.
  await expect.poll(async () => (await named("loop")).restartCount).toBeGreaterThanOrEqual(5);
  expect(await named("loop")).toMatchObject({ unstableRestarts: 0 });
  expect(await problems()).toMatchObject({ loop: "PROCESS_CRASH_LOOP", restarted: undefined });
});
