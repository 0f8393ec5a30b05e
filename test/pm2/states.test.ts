/** States that PM2's status word hides, in each answer: list, drift, plan, alerts and doctor. */
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findConditions } from "../../src/core/alerts/conditions.ts";
import {
  ecosystemDrift,
  eventWhy,
  execute,
  metricsShow,
  processList,
  projectDoctor,
  rolloutApply,
  rolloutPlan,
} from "../../src/core/index.ts";
import type { ProcessRecord } from "../../src/core/pm2/process-record.ts";
import { freePort } from "../support/free-port.ts";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { longTest } from "../support/runs.ts";

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

longTest("an app with a restart delay that PM2 has given up on is not waiting for a restart", async () => {
  await declare({ name: "given", code: "process.exit(3)", restart_delay: 10, max_restarts: 2 });
  await expect.poll(async () => await find("given")).toMatchObject({ status: "waiting restart", pid: null });
  expect(await answersAbout("given")).toMatchObject({
    state: "given up",
    missing: true,
    alert: { rule: "not-online", details: expect.stringMatching(/^given is declared .* given up\.$/) as string },
    doctor: "PROCESS_ERRORED",
  });
});

longTest("a stopped service is missing in each answer, and its plan names who stopped it", async () => {
  await declare({ name: "stopped", code: IDLE });
  await link.stop(await find("stopped"));
  expect(await answersAbout("stopped")).toMatchObject({
    state: "stopped",
    missing: true,
    alert: { rule: "not-online", details: expect.stringContaining("stopped by a command to PM2 since") as string },
  });
});

longTest(
  "a process without a pid is missing, and names the apps whose memory limit PM2 no longer watches",
  async () => {
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
  },
);

longTest("a crash loop in cluster mode is one, although PM2 records exit code 0", async () => {
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

const LISTENS = `const port = (server) => require("node:fs").writeFileSync("port", String(server.address().port));
const listen = (server) => server.listen(0, "127.0.0.1", () => (port(server), process.send("ready")));`;

async function connect(): Promise<Socket> {
  const socket = createConnection(Number(readFileSync(join(own.folder, "port"), "utf8")), "127.0.0.1");
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

longTest("a process whose connections wait is hung", async () => {
  const waits = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)";
  const code = `${LISTENS} listen(require("node:net").createServer(() => ${waits}));`;
  await declare({ name: "hangs", code, wait_ready: true });
  // The first connection makes the process hang, so the second one waits.
  await connect();
  await connect();
  expect(await answersAbout("hangs")).toMatchObject({
    state: "hung",
    missing: true,
    alert: { rule: "not-online", details: expect.stringMatching(/^hangs .*hung/) as string },
    doctor: "PROCESS_HUNG",
  });
  await link.remove(await find("hangs"));
});

longTest("a server that blocks is hung, although only its own connections wait, as behind a proxy", async () => {
  const blocks = 'socket.on("data", () => { require("node:fs").writeFileSync("blocks", ""); for (;;); })';
  const code = `${LISTENS} const server = require("node:net").createServer((socket) => ${blocks}); listen(server);`;
  await declare({ name: "kept", code, wait_ready: true });
  const socket = await connect();
  socket.write("a request");
  await expect.poll(() => existsSync(join(own.folder, "blocks"))).toBe(true);
  socket.write("another");
  const { processes } = await execute(processList, ports, {}, caller);
  expect(processes.find(({ name }) => name === "kept")).toMatchObject({
    state: "hung",
    problem: { details: expect.stringMatching(/^Its event loop is blocked: 7 bytes wait on port/) as string },
  });
  await link.remove(await find("kept"));
});

longTest("an apply does not end a server that is busy for longer than a plan looks at it", async () => {
  const blocks = "for (const end = Date.now() + 7000; Date.now() < end;);";
  const code = `${LISTENS} listen(require("node:net").createServer(() => { ${blocks} }));`;
  await declare({ name: "computes", code, wait_ready: true, listen_timeout: 60_000 });
  const before = await find("computes");
  await connect();
  await connect();
  const input = { environment: "dev", apps: ["computes"], allowDirty: true };
  const { release } = await execute(rolloutApply, ports, input, { ...caller, grants: ["read", "write"] });
  expect(release?.steps.filter(({ app }) => app === "computes") ?? []).toEqual([]);
  expect((await find("computes")).pid).toBe(before.pid);
  await link.remove(await find("computes"));
});

test("a server that takes its connections late, but all of them, is online", async () => {
  const blocks = "for (const end = Date.now() + 300; Date.now() < end;);";
  const code = `${LISTENS} listen(require("node:net").createServer(() => { ${blocks} }));`;
  await declare({ name: "slow", code, wait_ready: true });
  for (let count = 0; count < 4; count += 1) await connect();
  const { processes } = await execute(processList, ports, {}, caller);
  expect(processes.find(({ name }) => name === "slow")).toMatchObject({ state: "online", problem: null });
});

longTest("a busy server whose clients come again at once is online, although as many always wait", async () => {
  const blocks = "for (const end = Date.now() + 300; Date.now() < end;); response.end();";
  const code = `${LISTENS} listen(require("node:http").createServer((_request, response) => { ${blocks} }));`;
  await declare({ name: "busy", code, wait_ready: true });
  const port = Number(readFileSync(join(own.folder, "port"), "utf8"));
  let [answers, isEnded] = [0, false];
  onTestFinished(() => void (isEnded = true));
  const comeAgain = (): void => {
    if (isEnded) return;
    const ask = get({ port, host: "127.0.0.1", agent: false }, (response) => response.resume().on("end", comeAgain));
    ask.on("response", () => (answers += 1)).on("error", () => undefined);
  };
  for (let count = 0; count < 3; count += 1) comeAgain();
  await expect.poll(() => answers).toBeGreaterThan(2);
  const { processes } = await execute(processList, ports, {}, caller);
  expect(processes.find(({ name }) => name === "busy")).toMatchObject({ state: "online", problem: null });
});

longTest("a suspended worker of a cluster hangs", async () => {
  await declare({ name: "suspended", code: IDLE, exec_mode: "cluster" });
  const { pid } = await find("suspended");
  process.kill(pid ?? 0, "SIGSTOP");
  onTestFinished(() => void process.kill(pid ?? 0, "SIGCONT"));
  const { processes } = await execute(processList, ports, {}, caller);
  expect(processes.find(({ name }) => name === "suspended")).toMatchObject({
    state: "hung",
    problem: { details: "It is suspended, by a signal or a debugger, so it answers nothing." },
  });
  expect((await execute(eventWhy, ports, { name: "suspended" }, caller)).now).toEqual([
    "It is suspended, by a signal or a debugger, so it answers nothing.",
  ]);
});

longTest.for(["fork", "cluster"])("an ES module that PM2 could not load is not loaded: %s", async (exec_mode) => {
  const port = await freePort();
  const [name, silent] = [`broken-${exec_mode}`, `silent-${exec_mode}`];
  const script = join(own.home, "broken.mjs");
  writeFileSync(script, 'import "./nowhere.mjs";\n');
  // PM2's agent is what swallows the error.
  const app = { script, cwd: own.folder, exec_mode, pmx: true };
  own.pm2Folder([
    { ...app, name, env: { PORT: port } },
    { ...app, name: silent },
  ]);
  for (const one of [name, silent]) await own.startDeclared(one);
  const errorLines = async (one: string) => (await ports.processLogs.readErrorTail(await find(one)))?.lines.join("\n");
  for (const one of [name, silent]) await expect.poll(() => errorLines(one), { timeout: 10_000 }).toContain("Error");
  const later = { ...ports, clock: { ...ports.clock, now: () => Date.now() + 12_000 } };
  const { processes } = await execute(processList, later, {}, caller);
  const broken = processes.find((process) => process.name === name);
  expect(broken).toMatchObject({ status: "online", state: "not loaded", problem: { code: "PROCESS_NOT_LOADED" } });
  expect(broken?.problem?.details).toContain(`does not listen on port ${port}`);
  const plan = await execute(rolloutPlan, later, { environment: "dev" }, caller);
  expect(plan.unknown).toContainEqual(expect.objectContaining({ app: silent, part: "state" }));
});

longTest("where the error log lies decides nothing, and without one svcm says that it does not know", async () => {
  const [port, unseenPort, sharedPort] = [await freePort(), await freePort(), await freePort()];
  const script = join(own.home, "broken.mjs");
  writeFileSync(script, 'import "./nowhere.mjs";\n');
  const half = join(own.home, "half.mjs");
  writeFileSync(
    half,
    `if (process.env.NODE_APP_INSTANCE !== "0") await import("./nowhere.mjs");
const { createServer } = await import("node:http");
createServer((_, response) => response.end()).listen(Number(process.env.PORT));
`,
  );
  const app = { cwd: own.folder, exec_mode: "cluster", pmx: true };
  own.pm2Folder([
    { ...app, name: "elsewhere", script, error_file: join(temporaryFolder(), "error.log"), env: { PORT: port } },
    { ...app, name: "unseen", script, error_file: "/dev/null", env: { PORT: unseenPort } },
    { ...app, name: "half", script: half, instances: 2, env: { PORT: sharedPort } },
  ]);
  for (const one of ["elsewhere", "unseen", "half"]) await own.startDeclared(one);
  await expect
    .poll(async () => (await ports.processLogs.readErrorTail(await find("elsewhere")))?.lines.join("\n"))
    .toContain("Error");
  const readBroken = async () => {
    const workers = (await ports.processes.list()).filter(({ name }) => name === "half");
    return (await Promise.all(workers.map((one) => ports.processLogs.readErrorTail(one)))).filter(
      (tail) => tail?.lines.length,
    );
  };
  await expect.poll(readBroken, { timeout: 10_000 }).toHaveLength(1);
  const later = { ...ports, clock: { ...ports.clock, now: () => Date.now() + 12_000 } };
  const { processes } = await execute(processList, later, {}, caller);
  const statesOf = (one: string) => processes.filter(({ name }) => name === one).map(({ state }) => state);
  expect(statesOf("elsewhere")).toEqual(["not loaded"]);
  expect(statesOf("half")).toEqual(["online", "online"]);
  const { unknown } = await execute(rolloutPlan, later, { environment: "dev" }, caller);
  const reasons = Object.fromEntries(unknown.map((one) => [one.app, one.reason]));
  expect(reasons["unseen"]).toContain(`does not listen on port ${unseenPort}, and has no error log to read`);
  expect(reasons["half"]).toContain("its error log ends with an error of this start, and its worker has no connection");
});
