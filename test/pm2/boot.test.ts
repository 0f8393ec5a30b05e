/** The way of PM2's list through the end of a daemon, with real daemons. */
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  copyFileSync,
} from "node:fs";
import { fork } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  bootDrain,
  bootRestore,
  bootSave,
  bootShow,
  eventsList,
  daemonShow,
  execute,
  processAct,
  rolloutPlan,
  projectDoctor,
  statusShow,
  type Ports,
} from "../../src/core/index.ts";
import { longTest } from "../support/runs.ts";
import { endProcesses, IDLE, pm2, type Daemon, type Pm2 } from "../support/pm2-daemon.ts";

const CANARY = "canary-77b0";
const caller = { source: "cli", grants: ["read", "act", "write"] } as const;
const place = { environment: undefined, service: undefined };
let own: Pm2;
let ports: Ports;
let daemon: Daemon;

const dump = (): string => join(own.home, "dump.pm2");
const runs = (): string => (existsSync(join(own.folder, "runs")) ? readFileSync(join(own.folder, "runs"), "utf8") : "");

beforeEach(async () => {
  own = pm2();
  ports = own.ports();
  daemon = await own.startDaemon();
});
afterEach(() => own.end());

/** `web` twice, `off` stopped, and a job that PM2 ran once when it was started. */
async function startApps(): Promise<void> {
  await own.run({ name: "web", instances: 2, exec_mode: "cluster", env: { MODE: CANARY } });
  await own.run({ name: "off" });
  await ports.processes.stop((await named("off")) as never);
  const code = `require("node:fs").appendFileSync(${JSON.stringify(join(own.folder, "runs"))}, "x"); ${IDLE}`;
  await own.run({ name: "job", code, autorestart: false, cron_restart: "0 3 1 1 *" });
}

async function named(name: string) {
  return (await ports.processes.list()).find((one) => one.name === name);
}

async function states(): Promise<string[]> {
  return (await ports.processes.list()).map(({ name, status }) => `${name} ${status}`).toSorted();
}

async function found(): Promise<string[]> {
  const report = await execute(bootShow, ports, place, caller);
  expect(JSON.stringify(report)).not.toContain(CANARY);
  return report.findings.map(({ code, message }) => `${code} ${message}`).filter((text) => !text.startsWith("UNIT_"));
}

const RESTORED = ["job stopped", "off stopped", "web online", "web online"];

longTest(
  "the saved list is compared with what runs, and a restore after the daemon's death starts only what ran",
  async () => {
    await startApps();
    expect(await found()).toEqual([
      expect.stringMatching(/^BOOT_LIST_ABSENT PM2 lists 4 processes, .* does not exist$/),
    ]);
    await execute(bootSave, ports, {}, caller);
    expect(await found()).toEqual([]);
    expect([dump(), join(own.home, "svcm/boot.json")].map((path) => statSync(path).mode & 0o777)).toEqual([
      0o600, 0o600,
    ]);

    const off = await named("off");
    await ports.processes.start(off as never);
    const web = await named("web");
    const app = {
      name: "web",
      script: web?.script ?? "",
      exec_mode: "cluster",
      instances: 2,
      env: { MODE: "b", NEW: "1" },
    };
    await ports.processes.restart(web as never, { app, folder: own.folder, drop: [] });
    await own.run({ name: "late" });
    expect(await found()).toEqual([
      "BOOT_MISSING PM2 lists late, and the saved list does not have it",
      expect.stringMatching(/^BOOT_VALUE web would start with another MODE, NEW than it has now, saved \d{4}-/),
      expect.stringMatching(/^BOOT_STATE off runs, and a reboot would leave it stopped, saved /),
    ]);

    const pids = (await ports.processes.list()).flatMap(({ pid }) => pid ?? []);
    await daemon.signal("SIGKILL");
    for (const pid of pids) endIfThere(pid);
    expect(await found()).toEqual([
      expect.stringMatching(
        /^DAEMON_DEAD PM2's daemon, pid \d+, ended without a message after .* The saved list has web, off, job$/,
      ),
    ]);
    expect((await execute(statusShow, ports, { environment: "dev" }, caller)).next).toBe("svcm boot restore");
    const { response } = await execute(projectDoctor, ports, { version: "1", offline: false }, caller);
    const codes = response.issues.map(({ code }) => code);
    expect(codes).toEqual(expect.arrayContaining(["PM2_NOT_RUNNING", "DAEMON_DEAD"]));
    expect(Object.entries(response.nextSteps)).toContainEqual(["DAEMON_DEAD", expect.stringContaining("boot restore")]);
    expect(response.nextSteps).not.toHaveProperty("PM2_NOT_RUNNING");
    const before = runs();
    const { processes, state } = await execute(bootRestore, ports, {}, caller);
    expect(state).toBe("restored");
    expect(processes.map(({ name, outcome }) => [name, outcome])).toEqual(
      expect.arrayContaining([
        ["web", "started"],
        ["web", "started"],
        ["off", "at rest"],
        ["job", "at rest"],
      ]),
    );
    expect(await states()).toEqual(RESTORED);
    expect(runs()).toBe(before);
    expect(await found()).toEqual([]);
  },
);

longTest("an app that a restore left stopped can be started, and the start of another is svcm's", async () => {
  await own.run({ name: "off" });
  await own.run({ name: "web" });
  await ports.processes.stop((await named("off")) as never);
  await execute(bootSave, ports, {}, caller);
  endProcesses(own.home);
  await execute(bootRestore, ports, {}, caller);
  expect(await states()).toEqual(["off stopped", "web online"]);
  const { events } = await execute(eventsList, ports, { kind: "start" }, caller);
  // Not its certainty: the first start may be in the same second.
  expect(events.map(({ app, cause }) => [app, cause])[0]).toEqual(["web", "svcm"]);
  const { affected } = await execute(processAct, ports, { action: "start", name: "off", ...place }, caller);
  expect(affected).toMatchObject([{ name: "off" }]);
  expect(await states()).toEqual(["off online", "web online"]);
});

longTest("one app that fails does not end the others, and is named", async () => {
  await startApps();
  writeFileSync(join(own.folder, "bad.cjs"), IDLE);
  await own.run({ name: "bad", code: "", script: join(own.folder, "bad.cjs") });
  await execute(bootSave, ports, {}, caller);
  rmSync(join(own.folder, "bad.cjs"));
  expect(await found()).toEqual([
    `BOOT_SCRIPT_GONE bad: the saved list starts ${join(own.folder, "bad.cjs")}, which does not exist`,
  ]);
  await daemon.signal("SIGKILL");
  const { processes } = await execute(bootRestore, ports, {}, caller);
  expect(processes.filter(({ outcome }) => outcome === "failed").map(({ name }) => name)).toEqual(["bad"]);
  expect((await states()).filter((text) => text.startsWith("web"))).toEqual(["web online", "web online"]);
});

longTest("a list that is cut off is found, and the copy brings everything back", async () => {
  await startApps();
  await execute(bootSave, ports, {}, caller);
  await daemon.signal("SIGKILL");
  truncateSync(dump(), statSync(dump()).size - 1);
  expect((await found()).join()).toMatch(/^BOOT_LIST_BROKEN .* cannot be parsed; svcm has a copy of \d{4}-/);
  await execute(bootRestore, ports, {}, caller);
  expect(await states()).toEqual(RESTORED);
  expect(JSON.parse(readFileSync(dump(), "utf8"))).toHaveLength(4);
});

test("without a list and a copy, a restore says so and starts nothing; a plan and the status name the dead daemon", async () => {
  own.pm2Folder([{ name: "web", script: "./app.cjs" }]);
  writeFileSync(join(own.folder, "app.cjs"), IDLE);
  const issues = async () => (await execute(rolloutPlan, ports, { environment: "dev" }, caller)).issues;
  expect((await issues()).map(({ code }) => code)).not.toContain("DAEMON_DEAD");
  await daemon.signal("SIGKILL");
  const message = expect.stringMatching(/^PM2's daemon, pid \d+, ended without a message: it was killed, or/);
  expect(await issues()).toContainEqual(expect.objectContaining({ code: "DAEMON_DEAD", severity: "warning", message }));
  const status = await execute(statusShow, ports, { environment: "dev" }, caller);
  expect(status).toMatchObject({ verdict: "attention", next: "svcm plan -e dev" });
  expect(status.points[0]).toMatchObject({ message });
  await expect(execute(bootRestore, ports, {}, caller)).rejects.toMatchObject({ body: { code: "BOOT_LIST_UNUSABLE" } });
  expect(own.pids()).toEqual([]);
});

test("an ecosystem file that cannot be loaded leaves unknown what a reboot would lack", async () => {
  await own.run({ name: "web" });
  await execute(bootSave, ports, {}, caller);
  own.pm2Folder([{ name: "web", script: "./app.cjs" }]);
  writeFileSync(join(own.folder, "pm2/ecosystem.dev.config.cjs"), 'throw new Error("no such stage");');
  expect(await found()).toEqual([
    expect.stringMatching(/^BOOT_DECLARED_UNKNOWN what is declared is not known: .*ecosystem\.dev\.config\.cjs/),
  ]);
});

longTest("a shutdown that ends the daemon and its apps together does not leave them stopped", async () => {
  await own.run({ name: "web", stop_exit_codes: [0], code: `process.on("SIGTERM", () => process.exit(0)); ${IDLE}` });
  await execute(bootSave, ports, {}, caller);
  const web = await named("web");
  process.kill(web?.pid ?? 0, "SIGTERM");
  await expect.poll(() => states()).toEqual(["web stopped"]);
  process.kill(daemon.pid, "SIGTERM");
  await expect.poll(() => own.pids()).toEqual([]);
  expect(JSON.parse(readFileSync(dump(), "utf8"))).toMatchObject([{ status: "stopped" }]);
  await execute(bootRestore, ports, {}, caller);
  expect(await states()).toEqual(["web online"]);
});

longTest("a drain gives each app its time, all at once, and leaves the list as it is", async () => {
  const code = `process.on("SIGINT", () => setTimeout(() => { require("node:fs").appendFileSync("${join(own.folder, "runs")}", "e"); process.exit(0); }, 400)); ${IDLE}`;
  for (const name of ["a", "b", "c", "d"]) await own.run({ name, code, kill_timeout: 20_000 });
  await execute(bootSave, ports, {}, caller);
  const before = readFileSync(dump());
  expect(await execute(bootDrain, ports, {}, caller)).toEqual({ drained: true });
  expect(runs()).toBe("eeee");
  await expect.poll(() => own.pids()).toEqual([]);
  expect(readFileSync(dump()).equals(before)).toBe(true);
  expect(await execute(bootDrain, ports, {}, caller)).toEqual({ drained: false });
  await execute(bootRestore, ports, {}, caller);
  expect(await states()).toEqual(["a online", "b online", "c online", "d online"]);
});

longTest("a drain that was cut off does not make the next boot leave the apps stopped", async () => {
  await own.run({ name: "web" });
  await execute(bootSave, ports, {}, caller);
  const saved = readFileSync(dump(), "utf8");
  // The state that SIGKILL of svcm between two stops leaves, when PM2 then saves what it lists.
  const copy = JSON.parse(readFileSync(join(own.home, "svcm/boot.json"), "utf8")) as object;
  writeFileSync(join(own.home, "svcm/boot.json"), JSON.stringify({ ...copy, draining: saved }));
  writeFileSync(dump(), saved.replaceAll('"status":"online"', '"status":"stopped"'));
  endProcesses(own.home);
  await execute(bootRestore, ports, {}, caller);
  expect(await states()).toEqual(["web online"]);
});

longTest("a save of nothing over a list of apps is refused", async () => {
  await own.run({ name: "web" });
  await execute(bootSave, ports, {}, caller);
  await ports.processes.remove((await named("web")) as never);
  await expect(execute(bootSave, ports, {}, caller)).rejects.toMatchObject({ body: { code: "BOOT_SAVE_EMPTY" } });
  expect(JSON.parse(readFileSync(dump(), "utf8"))).toHaveLength(1);
});

longTest("the restart of a cluster is refused before it stops anything, if the daemon's Node.js is gone", async () => {
  await daemon.signal("SIGKILL");
  const node = join(own.folder, "version-1", "node");
  mkdirSync(join(own.folder, "version-1"));
  try {
    linkSync(process.execPath, node);
  } catch {
    copyFileSync(process.execPath, node);
  }
  const program = createRequire(import.meta.url).resolve("pm2/lib/Daemon.js");
  const env = { PATH: process.env["PATH"], HOME: own.folder, PM2_HOME: own.home, SILENT: "true" };
  const child = fork(program, { execPath: node, env, stdio: ["ignore", "ignore", "ignore", "ipc"] });
  await new Promise((resolve) => child.once("message", resolve));
  child.disconnect();
  await own.run({ name: "web", exec_mode: "cluster", instances: 1 });
  const web = await named("web");
  const { daemons } = await execute(daemonShow, ports, {}, caller);
  expect(daemons?.find(({ isOwn }) => isOwn)).toMatchObject({
    pid: child.pid,
    nodePath: node,
    nodeFile: "present",
    nodeVersion: process.versions.node,
  });
  // The system follows it, and the daemon does not.
  renameSync(join(own.folder, "version-1"), join(own.folder, "version-0"));
  const { findings } = await execute(daemonShow, ports, {}, caller);
  expect(findings).toContainEqual(expect.objectContaining({ code: "DAEMON_NODE_GONE", severity: "error" }));
  const restart = execute(processAct, ports, { action: "restart", name: "web", ...place }, caller);
  await expect(restart).rejects.toMatchObject({ body: { code: "DAEMON_NODE_GONE" } });
  expect(await named("web")).toMatchObject({ status: "online", pid: web?.pid });
});

/** One of a cluster ends with PM2's daemon, and others run on: tests leave PM2's own module out. */
function endIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}
