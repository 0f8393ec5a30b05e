/** The sockets of a PM2 daemon were removed, as advice on the web says. The daemon and its apps run on. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import {
  bootRestore,
  bootSave,
  daemonShow,
  execute,
  processList,
  rolloutPlan,
  type Caller,
} from "../../src/core/index.ts";
import { pm2, type Daemon } from "../support/pm2-daemon.ts";
import { svcm } from "../support/svcm.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { longTest } from "../support/runs.ts";

const caller: Caller = { source: "cli", actor: "tester", grants: ["read", "write", "logs", "act", "admin"] };
const own = pm2();
let lost: Daemon;
const GONE = { body: { code: "PM2_SOCKET_GONE" }, message: expect.stringContaining("runs, but") };
const command = (...args: string[]) => svcm(args, { root: own.folder, env: { PM2_HOME: own.home } });
/** With its whole title, as `pgrep` finds it. */
const daemons = (): number[] =>
  own.pids().filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("God Daemon"));

beforeAll(async () => {
  lost = await own.startDaemon();
  const args = ["-e", "require('node:net').createServer().listen(0)"];
  own.pm2Folder([{ name: "web", script: process.execPath, args, interpreter: "none" }]);
  await own.startDeclared("web");
  for (const name of ["rpc.sock", "pub.sock"]) rmSync(join(own.home, name));
});
afterAll(() => own.end());

test("one without a title, as pm2-runtime is, is found by the socket that it holds", async () => {
  const home = temporaryFolder();
  const socket = join(home, "rpc.sock");
  const code = `require("node:net").createServer().listen(${JSON.stringify(socket)}, () => process.stdout.write("up"))`;
  const child = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  rmSync(socket);
  const message = expect.stringContaining(`PM2's daemon (pid ${child.pid}) runs, but`) as string;
  await expect(own.link({ env: { PM2_HOME: home } }).list()).rejects.toMatchObject({ ...GONE, message });
});

test("it is not taken for dead, and nothing starts its apps again", async () => {
  const ports = own.ports();
  await expect(execute(processList, ports, {}, caller)).rejects.toMatchObject(GONE);
  await expect(execute(rolloutPlan, ports, { environment: "dev" }, caller)).rejects.toMatchObject(GONE);
  await expect(execute(bootRestore, ports, {}, caller)).rejects.toMatchObject(GONE);
  for (const args of [
    ["apply", "-e", "dev", "--yes", "--allow-dirty"],
    ["start", "web", "--ecosystem"],
  ]) {
    const refused = await command(...args);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining(`PM2's daemon (pid ${lost.pid}) runs`)]);
  }
  expect((await command()).stdout).toMatch(/^1 point needs attention\.\n.*PM2's daemon \(pid \d+\) runs, but /s);
  expect(daemons()).toEqual([lost.pid]);
});

test("its apps are not called left-over processes to be ended, and it is not called stopped", async () => {
  const { stdout } = await command("doctor");
  expect(stdout).toContain("PM2_SOCKET_GONE");
  expect(stdout).not.toMatch(/PROCESS_LEFT_OVER|not running/);
});

test("svcm daemon says that no command reaches it", async () => {
  const { code, stdout } = await command("daemon");
  expect([code, stdout]).toEqual([
    1,
    expect.stringContaining(`error PM2_SOCKET_GONE PM2's daemon (pid ${lost.pid}) runs`),
  ]);
});

test("also through a link to PM2_HOME", async () => {
  const link = join(own.folder, "link");
  symlinkSync(own.home, link);
  await expect(own.link({ env: { PM2_HOME: link } }).list()).rejects.toMatchObject(GONE);
});

longTest("a second daemon beside it is named, and a plan that would start an app twice is refused", async () => {
  const second = await own.startDaemon();
  const ports = own.ports();
  const plan = await execute(rolloutPlan, ports, { environment: "dev" }, caller);
  expect(plan.issues).toContainEqual(expect.objectContaining({ code: "DAEMON_SEVERAL", severity: "error" }));
  const refused = await command("apply", "-e", "dev", "--yes", "--allow-dirty");
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`kill ${lost.pid}`)]);
  await expect(execute(daemonShow, ports, {}, caller)).resolves.toMatchObject({
    findings: expect.arrayContaining([expect.objectContaining({ code: "DAEMON_SEVERAL" })]),
  });
  expect((await own.link().list()).map(({ name }) => name)).toEqual([]);
  const answers = await Promise.all(
    [["ls"], ["why", "web"], ["restart", "web"], ["boot"], ["doctor"], ["events"]].map((args) => command(...args)),
  );
  for (const { stdout, stderr } of answers) {
    expect(stdout + stderr).toContain(`${lost.pid}`);
    expect(stdout + stderr).not.toMatch(/left-over|boot save|ended without a message|was killed/);
  }
  await lost.signal("SIGKILL");
  expect((await execute(rolloutPlan, ports, { environment: "dev" }, caller)).issues).toEqual([]);
  expect(daemons()).toEqual([second.pid]);
});

test("a program that outlives its killed daemon is named, with its pid, before a start runs it twice", async () => {
  const other = pm2();
  onTestFinished(() => other.end());
  const daemon = await other.startDaemon();
  const app = { name: "worker", script: "/bin/sleep", args: ["1000"], interpreter: "none" };
  other.pm2Folder([app]);
  await other.startDeclared("worker");
  const ports = other.ports();
  await execute(bootSave, ports, {}, caller);
  const [{ pid } = { pid: 0 }] = await ports.processes.list();
  await ports.processes.close();
  await daemon.signal("SIGKILL");
  const run = (...args: string[]) => svcm(args, { root: other.folder, env: { PM2_HOME: other.home } });
  const still = `Without it, worker (pid ${pid}) still runs, so a start would run the same app twice.`;
  const why = await run("why", "worker");
  expect(why.stdout).toContain(still);
  expect(why.stdout).not.toContain("ended with it");
  for (const args of [[], ["boot"], ["plan", "-e", "dev"]]) {
    const { stdout } = await run(...args);
    expect(stdout).toContain(still);
    expect(stdout).toContain(`kill ${pid}; svcm boot restore`);
  }
  process.kill(pid ?? 0, "SIGKILL");
  expect((await run("why", "worker")).stdout).toContain("worker ended with it");
});

test("a daemon whose whole PM2_HOME was removed still runs its apps", async () => {
  const [second = 0] = daemons();
  rmSync(own.home, { recursive: true });
  const refused = await command("apply", "-e", "dev", "--yes", "--allow-dirty");
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining(`PM2's daemon (pid ${second}) runs`)]);
  await expect(execute(processList, own.ports(), {}, caller)).rejects.toMatchObject(GONE);
  expect(daemons()).toEqual([second]);
});
