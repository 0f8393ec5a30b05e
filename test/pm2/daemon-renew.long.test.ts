/** Two real daemons: the list that one of them has moves to the other. */
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { daemonRenew, daemonShow, eventWhy, execute, type Ports, type SvcmError } from "../../src/core/index.ts";
import { plainEnvironment, RUN, svcm } from "../support/command-line.ts";
import { IDLE, pm2, type Daemon, type Pm2 } from "../support/pm2-daemon.ts";
import { randomNumbers } from "../support/random.ts";
import { listRawProcesses } from "../support/raw-list.ts";

const CANARY = "canary-4f1d";
const caller = { source: "cli", grants: ["read", "act", "write", "admin"] } as const;
let own: Pm2;
let ports: Ports;
let daemon: Daemon;
let node: string;

beforeEach(async () => {
  own = pm2();
  ports = own.ports();
  daemon = await own.startDaemon();
  node = join(own.folder, "other/node");
  mkdirSync(join(own.folder, "other"));
  try {
    linkSync(process.execPath, node);
  } catch {
    copyFileSync(process.execPath, node);
  }
});
afterEach(() => own.end());

/** A service in each mode, one that is stopped, one that PM2 gave up, and a job that waits. */
async function startApps(): Promise<void> {
  await own.run({ name: "web", instances: 2, exec_mode: "cluster", env: { MODE: CANARY }, kill_timeout: 4000 });
  await own.run({
    name: "api",
    args: ["--a b", "c"],
    env: { PORT: "24901" },
    node_args: ["--no-warnings"],
    max_memory_restart: "300M",
  });
  writeFileSync(join(own.folder, "off.js"), IDLE);
  await own.run({ name: "off", script: join(own.folder, "off.js") });
  await own.run({ name: "bad", code: "process.exit(3)", max_restarts: 1, min_uptime: 1000 });
  const named = async (name: string) => (await ports.processes.list()).find((one) => one.name === name) as never;
  await ports.processes.stop(await named("off"));
  writeFileSync(join(own.folder, "late.js"), IDLE);
  await own.run({ name: "late", script: join(own.folder, "late.js") });
  const code = `require("node:fs").appendFileSync(${JSON.stringify(join(own.folder, "runs"))}, "x"); process.exit(0);`;
  await own.run({ name: "job", code, autorestart: false, cron_restart: "0 3 1 1 *" });
  const settled = async (): Promise<string[]> => (await states()).filter((one) => /^(?:bad|job) /.test(one));
  await expect.poll(settled).toEqual(["bad errored", "job stopped"]);
}

async function states(): Promise<string[]> {
  return (await ports.processes.list()).map(({ name, status }) => `${name} ${status}`);
}

/** Fields that differ between two runs of the same declaration, or lead to the Node.js. */
const OF_A_RUN =
  /^(?:exec_interpreter|km_link|pm_id|pid|pm_pid_path|pm_(?:out|err)_log_path|pm_log_path|unique_id|created_at|pm_uptime|restart_time|unstable_restarts|prev_restart_delay|exit_code|axm_\w+|version|versioning|node_version|instances|status|PATH|created|command|_km_monitored)$/;

/** Read without svcm: every field of PM2's own records, with every value. */
async function fields(): Promise<string[]> {
  const list = await listRawProcesses(own.home);
  return list
    .map(({ name, pm2_env }) => {
      const { env, ...rest } = pm2_env;
      const kept = (from: object): [string, unknown][] =>
        Object.entries(from)
          .filter(([key]) => !OF_A_RUN.test(key))
          .toSorted(([a], [b]) => (a < b ? -1 : 1));
      const status = pm2_env["status"] === "errored" ? "stopped" : pm2_env["status"];
      return JSON.stringify([name, status, kept(rest), kept(env as object)]);
    })
    .toSorted();
}

const renew = (more: object = {}, on: Ports = ports) =>
  execute(daemonRenew, on, { node, goBack: false, ...more }, caller);
const ALL = ["web online", "web online", "api online", "off stopped", "bad stopped", "late online", "job stopped"];

function nodeOf(pid: number | null): string {
  return readlinkSync(`/proc/${pid}/exe`);
}

test("a new daemon with the chosen Node.js has the same list, field by field, and the former one is gone", async () => {
  await startApps();
  const before = await fields();
  const runs = readFileSync(join(own.folder, "runs"), "utf8");
  // A command keeps its connection to the former daemon.
  const command = own.link({ isCommand: true });
  const answer = await renew({}, { ...ports, processes: command });
  expect(JSON.stringify(answer)).not.toContain(CANARY);
  expect(answer).toMatchObject({
    state: "renewed",
    goesOnSince: null,
    before: { pid: daemon.pid },
    after: { node: process.versions.node },
  });
  expect(await states()).toEqual(ALL);
  expect(await fields()).toEqual(before);
  expect(readFileSync(join(own.folder, "runs"), "utf8")).toBe(runs);
  for (const pid of [answer.after.pid, ...(await ports.processes.list()).map((one) => one.pid)].filter(
    (one) => one !== null,
  ))
    expect(nodeOf(pid)).toBe(node);
  expect(own.pids()).not.toContain(daemon.pid);
  expect(["rpc.old", "pub.old", "svcm/renew.json"].filter((name) => existsSync(join(own.home, name)))).toEqual([]);
  expect(Number(readFileSync(join(own.home, "pm2.pid"), "utf8"))).toBe(answer.after.pid);
  expect(statSync(join(own.home, "dump.pm2")).mode & 0o777).toBe(0o600);
  expect((await execute(daemonShow, ports, {}, caller)).findings.map(({ code }) => code)).not.toContain(
    "RENEW_UNFINISHED",
  );
  expect(await execute(eventWhy, ports, { name: "api" }, caller)).toMatchObject({
    event: { kind: "restart", cause: "svcm", evidence: [expect.stringContaining("daemon.renew")] },
    recentEnds: 0,
  });
});

/** Reads as the process does, at whose n-th step svcm ends. */
function endsAt(step: number): Ports {
  const { processes } = ports;
  let left = step;
  const counted = async <T>(work: () => Promise<T>): Promise<T> => {
    left -= 1;
    if (left < 0) throw new Error("killed");
    return await work();
  };
  const renewal: typeof processes.renewal = {
    begin: (...args) => counted(() => processes.renewal.begin(...args)),
    move: (name) => counted(() => processes.renewal.move(name)),
    end: () => counted(() => processes.renewal.end()),
    turnBack: () => counted(() => processes.renewal.turnBack()),
  };
  return { ...ports, processes: { ...processes, renewal } };
}

const findings = async () => (await execute(daemonShow, ports, {}, caller)).findings.map(({ code }) => code);
const standing = () => ["rpc.old", "pub.old", "svcm/renew.json"].filter((name) => existsSync(join(own.home, name)));

test("after an end between two steps, the next run says so and finishes, or returns", async () => {
  await startApps();
  const before = await fields();
  // The beginning, six names, and the end of the former daemon.
  for (const step of [1, 2, 4, 7]) {
    const pid = Number(readFileSync(join(own.home, "pm2.pid"), "utf8"));
    await expect(renew({}, endsAt(step))).rejects.toThrow("killed");
    expect(await findings()).toContain("RENEW_UNFINISHED");
    const back = await renew({ goBack: true });
    expect(back).toMatchObject({ state: "returned", after: { pid }, goesOnSince: expect.any(String) });
    expect(standing()).toEqual([]);
    expect(await fields()).toEqual(before);
    await expect(renew({}, endsAt(step))).rejects.toThrow("killed");
    const answer = await renew();
    expect(answer).toMatchObject({ state: "renewed", goesOnSince: expect.any(String) });
    expect(own.pids()).not.toContain(pid);
    expect(standing()).toEqual([]);
    expect(await fields()).toEqual(before);
    expect(await findings()).not.toContain("RENEW_UNFINISHED");
  }
  expect(readFileSync(join(own.folder, "runs"), "utf8")).toBe("x");
});

test("thirty apps move, and a real SIGKILL at any moment loses none of them", async () => {
  for (let at = 0; at < 28; at += 1) await own.run({ name: `app-${at}`, env: { AT: String(at), MODE: CANARY } });
  await own.run({ name: "web", instances: 2, exec_mode: "cluster" });
  for (const name of ["app-3", "app-17"])
    await ports.processes.stop((await ports.processes.list()).find((one) => one.name === name) as never);
  const before = await fields();
  const random = randomNumbers(7);
  const env = { PM2_HOME: own.home, HOME: own.folder };
  for (let round = 0; round < 4; round += 1) {
    const child = spawn(process.execPath, [RUN, "daemon", "renew", "--node", node], {
      cwd: own.folder,
      env: plainEnvironment(env),
    });
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => child.kill("SIGKILL"), 2000 + random() * 30_000);
      child.once("exit", () => resolve(clearTimeout(timer)));
    });
  }
  const { status, stdout, stderr } = svcm(["daemon", "renew", "--node", node, "--json"], { cwd: own.folder, env });
  expect([status, stderr]).toEqual([0, ""]);
  expect(JSON.parse(stdout)).toMatchObject({ state: "renewed" });
  expect(standing()).toEqual([]);
  expect(await fields()).toEqual(before);
  expect((await execute(daemonShow, ports, {}, caller)).daemons?.filter(({ isOwn }) => isOwn)).toHaveLength(1);
  expect(own.pids()).toHaveLength(1 + 28 + 2 - 2);
});

test("an app that cannot run with the new Node.js brings everything back to the former daemon", async () => {
  await startApps();
  const code = `if (process.execPath.includes("/other/")) process.exit(1); ${IDLE}`;
  await own.run({ name: "picky", code });
  const before = await fields();
  await expect(renew()).rejects.toMatchObject({
    body: {
      code: "RENEW_RETURNED",
      details: expect.stringMatching(/^picky did not start: .*former daemon runs the apps again\.$/),
    },
  });
  expect(standing()).toEqual([]);
  expect(await fields()).toEqual(before);
  expect(Number(readFileSync(join(own.home, "pm2.pid"), "utf8"))).toBe(daemon.pid);
  expect(own.pids().filter((pid) => nodeOf(pid) === node)).toEqual([]);
});

test("nothing is touched if the renewal must fail", async () => {
  await own.run({ name: "web" });
  const [web] = await ports.processes.list();
  const refusal = async (more: object = {}): Promise<string> =>
    await renew(more).then(
      () => "",
      (error: unknown) => (error as SvcmError).message,
    );
  expect(await refusal({ node: join(own.folder, "gone") })).toMatch(/gone is not a Node\.js that runs/);
  expect(await refusal({ goBack: true })).toMatch(/no renewal was cut off/);
  await expect(renew({ goBack: true })).rejects.toMatchObject({ body: { hint: "To see what runs: svcm daemon" } });
  writeFileSync(join(own.folder, ".nvmrc"), "v1.2.3");
  expect(await refusal()).toMatch(/\.nvmrc asks for v1\.2\.3/);
  renameSync(join(own.folder, ".nvmrc"), join(own.folder, "nvmrc"));
  await ports.releases.withLock(0, async () => expect(await refusal()).toMatch(/Another apply or rollback runs/));
  await own.run({ name: "job", autorestart: false, cron_restart: "0 3 1 1 *" });
  expect(await refusal()).toMatch(/job runs, and would be cut off/);
  await daemon.signal("SIGKILL");
  expect(await refusal()).toMatch(/no PM2 daemon with this PM2_HOME runs/);
  expect(standing()).toEqual([]);
  expect(web?.status).toBe("online");
});
