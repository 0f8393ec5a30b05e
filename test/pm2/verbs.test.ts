import { symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { execute, processAct, processScale, processWait, type Caller } from "../../src/core/index.ts";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { svcm } from "../support/svcm.ts";
import { longTest } from "../support/runs.ts";

const { own, ports } = runningPm2();
const caller: Caller = { source: "cli", actor: "tester", grants: ["read", "act", "write"] };
const command = (...args: string[]) => svcm(args, { root: own.folder, env: { PM2_HOME: own.home, CI: "1" } });

test.each(["0", "-1", "1001", "two", "1.5"])("scale to %s is refused with the range", async (count) => {
  const { code, stderr } = await command("process", "scale", "web", count);
  expect([code, stderr]).toEqual([2, expect.stringContaining("accepted: an integer from 1 to 1000")]);
});

test("without a terminal, a whole namespace is deleted only with --yes", async () => {
  await own.run({ name: "kept", namespace: "whole", code: IDLE });
  expect(await command("process", "delete", "--namespace", "whole")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--yes") as string,
  });
  expect((await ports.processes.list()).find(({ name }) => name === "kept")).toMatchObject({ status: "online" });
});

test("a stop of an app with a schedule says that PM2 still starts it", async () => {
  await own.run({ name: "nightly", code: IDLE, cron_restart: "0 3 * * *" });
  await own.run({ name: "plain", code: IDLE });
  const { warnings } = await execute(processAct, ports, { action: "stop", names: ["nightly", "plain"] }, caller);
  expect(warnings.map(({ code, message }) => [code, message])).toEqual([
    ["PROCESS_STILL_SCHEDULED", expect.stringContaining("nightly on its schedule, 0 3 * * *")],
  ]);
});

test("a restart of an app whose interpreter is gone fails at once, and a wait for it says why", async () => {
  const interpreter = join(own.folder, "node-of-it");
  symlinkSync(process.execPath, interpreter);
  await own.run({ name: "moved", code: IDLE, interpreter });
  unlinkSync(interpreter);
  const startedMs = performance.now();
  await expect(execute(processAct, ports, { action: "restart", name: "moved" }, caller)).rejects.toMatchObject({
    body: { details: expect.stringMatching(/does not run: .*node-of-it, which does not exist/) as string },
  });
  expect(performance.now() - startedMs).toBeLessThan(15_000);
  const waited = await execute(processWait, ports, { names: ["moved"], pmIds: [] }, caller);
  expect(waited).toMatchObject({ ok: false, processes: [{ problem: { code: "PROCESS_WITHOUT_PID" } }] });
  await execute(processAct, ports, { action: "delete", name: "moved" }, caller);
});

longTest("an app with wait_ready that never reports is not called started", async () => {
  const app = { name: "never-ready", code: IDLE, wait_ready: true, listen_timeout: 500, autorestart: false };
  await own.run(app);
  await execute(processAct, ports, { action: "stop", name: "never-ready" }, caller);
  await expect(execute(processAct, ports, { action: "start", name: "never-ready" }, caller)).rejects.toMatchObject({
    body: { details: expect.stringContaining("did not report that it was ready") as string },
  });
});

longTest("scale reports the number that PM2 lists afterwards", async () => {
  await own.run({ name: "scaled", code: IDLE });
  const result = await execute(processScale, ports, { name: "scaled", instances: 2 }, caller);
  expect(result).toMatchObject({ from: 1, to: 2, now: 2 });
});

test("env edit starts no screen editor without a terminal", async () => {
  for (const editor of ["vi", "/usr/bin/vim -n", "nano"]) {
    const env = { PM2_HOME: own.home, EDITOR: editor, VISUAL: "" };
    const { code, stdout, stderr } = await svcm(["env", "edit"], { root: own.folder, env });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("needs a terminal");
  }
});

test("start without a name points to apply", async () => {
  expect(await command("start")).toMatchObject({ code: 2, stderr: expect.stringContaining("svcm apply") as string });
});
