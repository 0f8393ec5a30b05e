/** Processes that a command of a deploy leaves outside of its process group, with real processes. */
import { expect, test } from "vitest";
import { endCommands, runCommand } from "../../../src/core/deploy/machine/run-command.ts";
import type { StartedCommand } from "../../../src/core/deploy/record.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const env = { PATH: process.env["PATH"] ?? "" };
const isLinux = process.platform === "linux";

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Leaves a process with the same output in another session, and prints its number. */
const leaving = (more: object, then = ""): readonly string[] => [
  process.execPath,
  "-e",
  `const left = require("node:child_process").spawn("sleep", ["1000"], { detached: true, stdio: "inherit", env: { ...process.env, ...${JSON.stringify(more)} } });
console.log(left.pid); left.unref(); ${then}`,
];

test.runIf(isLinux)("one with the command's output neither stays nor delays the end", async () => {
  const options = { cwd: temporaryFolder(), env, timeoutMs: 60_000, isMarked: true };
  const { end, exitCode, stdout } = await runCommand(leaving({}), options);
  expect([end, exitCode]).toEqual(["exit", 0]);
  await expect.poll(() => isAlive(Number(stdout))).toBe(false);
});

test.runIf(isLinux)("a PM2 daemon lives on, and the end waits for it a few seconds only", async () => {
  const options = { cwd: temporaryFolder(), env, timeoutMs: 60_000, isMarked: true };
  const { end, stdout } = await runCommand(leaving({ PM2_HOME: "/none" }), options);
  const pid = Number(stdout);
  expect([end, isAlive(pid)]).toEqual(["exit", true]);
  process.kill(pid, "SIGKILL");
});

test.runIf(isLinux)("one that a killed deploy left is ended by the next one", async () => {
  const cwd = temporaryFolder();
  const started: StartedCommand[] = [];
  let left = 0;
  const running = runCommand(leaving({}, "setInterval(() => {}, 1e6);"), {
    cwd,
    env,
    timeoutMs: 60_000,
    isMarked: true,
    onStart: async (command) => void started.push(command),
    onLine: (line) => (left = Number(line)),
  });
  await expect.poll(() => left).toBeGreaterThan(0);
  await endCommands(started, cwd);
  await expect.poll(() => isAlive(left)).toBe(false);
  expect(await running).toMatchObject({ end: "signal" });
});
