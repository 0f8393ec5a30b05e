/** The sockets of a PM2 daemon were removed, as advice on the web says. The daemon and its apps run on. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import {
  bootRestore,
  bootSave,
  daemonShow,
  execute,
  processAct,
  processList,
  rolloutApply,
  rolloutPlan,
  type Caller,
} from "../../src/core/index.ts";
import { parseEnviron } from "../../src/core/files/proc.ts";
import { IDLE, pm2, type Daemon } from "../support/pm2-daemon.ts";
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
  // Its app outlives it.
  const { issues } = await execute(rolloutPlan, ports, { environment: "dev" }, caller);
  expect(issues.map(({ code }) => code)).toEqual(["PROCESS_LEFT_OVER"]);
  expect(daemons()).toEqual([second.pid]);
});

test("a program that outlives its killed daemon is named, with its pid, before a start runs it twice", async () => {
  const other = pm2();
  onTestFinished(() => other.end());
  const daemon = await other.startDaemon();
  const app = { name: "worker", script: "/bin/sleep", args: ["1000"], interpreter: "none", kill_timeout: 100 };
  const web = { name: "web", script: "./web.cjs", pmx: true, listen_timeout: 100 };
  writeFileSync(join(other.folder, "web.cjs"), IDLE);
  other.pm2Folder([app, web]);
  for (const name of ["worker", "web"]) await other.startDeclared(name);
  const ports = other.ports();
  await execute(bootSave, ports, {}, caller);
  const [{ pid } = { pid: 0 }, started] = await ports.processes.list();
  // A program that an app leaves behind, such as an agent, has the variables of the app.
  const env = parseEnviron(readFileSync(`/proc/${started?.pid}/environ`, "utf8"));
  spawn("/bin/sleep", ["1000"], { env, stdio: "ignore" }).unref();
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
  const message = `worker (pid ${pid}) outlived a former daemon of PM2 and still runs, so a start would run the app twice. To end it: kill ${pid}`;
  const refused = { body: { code: "PROCESS_LEFT_OVER" }, message: expect.stringContaining(message) as string };
  const dev = { environment: "dev" };
  const start = { action: "start", scope: "ecosystem", name: "worker", ...dev } as const;
  await expect(execute(rolloutApply, ports, dev, caller)).rejects.toMatchObject(refused);
  await expect(execute(processAct, ports, start, caller)).rejects.toMatchObject(refused);
  const reason = `it outlived a former daemon of PM2; end it with kill ${pid}, then run svcm boot restore again`;
  const { processes } = await execute(bootRestore, ports, {}, caller);
  // The others come back.
  expect(processes).toMatchObject([
    { name: "worker", pmId: null, outcome: "failed", reason },
    { name: "web", outcome: "started" },
  ]);
  const leftOver = expect.objectContaining({ code: "PROCESS_LEFT_OVER", message }) as unknown;
  const { issues } = await execute(rolloutPlan, ports, dev, caller);
  expect(issues).toContainEqual(leftOver);
  await expect(execute(processAct, ports, start, caller)).rejects.toMatchObject(refused);
  expect((await run("doctor")).stdout).toContain(`warning ${message} PROCESS_LEFT_OVER`);
  process.kill(pid ?? 0, "SIGKILL");
  expect((await execute(bootRestore, ports, {}, caller)).processes).toMatchObject([
    { name: "worker", outcome: "started" },
    { name: "web", outcome: "already listed" },
  ]);
  expect(await execute(rolloutPlan, ports, dev, caller)).toMatchObject({ steps: [], issues: [] });
});

test("a daemon whose whole PM2_HOME was removed still runs its apps", async () => {
  const [second = 0] = daemons();
  rmSync(own.home, { recursive: true });
  const refused = await command("apply", "-e", "dev", "--yes", "--allow-dirty");
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining(`PM2's daemon (pid ${second}) runs`)]);
  await expect(execute(processList, own.ports(), {}, caller)).rejects.toMatchObject(GONE);
  expect(daemons()).toEqual([second]);
});
