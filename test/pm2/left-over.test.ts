/** A child that outlives its parent, and keeps the port that the next run of the app needs. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { eventWhy, execute, processAct, processList, projectDoctor } from "../../src/core/index.ts";
import { freePort } from "../support/free-port.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { longTest } from "../support/runs.ts";

const caller = { source: "cli", actor: "tester", grants: ["read", "logs", "act"] } as const;
const { own, ports } = runningPm2();

/** As npm and shells do, it waits for its child, and leaves it behind if it is killed. */
const PARENT = `const child = require("node:child_process").fork(process.env.CHILD);
child.on("exit", (code) => process.exit(code));`;
const CHILD = `require("node:http").createServer((_request, response) => response.end())
  .listen(Number(process.env.PORT), "127.0.0.1", () => undefined);`;

longTest("why, doctor and a failed restart name the child that holds the port, and its former app", async () => {
  const port = await freePort();
  const child = join(own.home, "child.cjs");
  writeFileSync(child, CHILD);
  const env = { PORT: port, CHILD: child };
  await own.run({ name: "wrapper", code: PARENT, env, max_restarts: 2 });
  const [before] = await ports.processes.list();
  const findHolder = async () => (await ports.machine.listeners())?.find((socket) => socket.port === port);
  await expect.poll(findHolder, { timeout: 20_000 }).toBeTruthy();
  const holder = await findHolder();
  expect(holder).toMatchObject({ origin: { pm2Home: own.home, name: "wrapper", pmId: before?.pmId } });
  expect(holder?.ancestors).toContain(before?.pid);
  const { processes } = await execute(processList, ports, {}, caller);
  expect(processes[0]).toMatchObject({ tree: { processCount: 2 } });
  const { memoryBytes = null, tree } = processes[0] ?? {};
  expect(memoryBytes).toBeGreaterThan(tree?.ownMemoryBytes ?? Infinity);
  onTestFinished(() => void process.kill(holder?.pid ?? 0, "SIGKILL"));
  process.kill(before?.pid ?? 0, "SIGKILL");
  const restarts = async () => (await ports.processes.list())[0]?.restartCount;
  await expect.poll(restarts, { timeout: 20_000 }).toBeGreaterThan(0);
  const sentence = `ort ${port} is taken by node, pid ${holder?.pid}, a left-over process of wrapper`;
  expect((await execute(eventWhy, ports, { name: "wrapper" }, caller)).now).toContain(`P${sentence}.`);
  const { response } = await execute(projectDoctor, ports, { version: "0", offline: false }, caller);
  expect(response.issues).toContainEqual(
    expect.objectContaining({ code: "PROCESS_LEFT_OVER", message: `p${sentence}` }),
  );
  const request = { action: "restart", name: "wrapper" } as const;
  await expect(execute(processAct, ports, request, caller)).rejects.toThrow(sentence);
});

/** Its child is not in the tree that PM2 ends. */
const LEAVER = `require("node:child_process").spawn("sh", ["-c", '"$0" "$1" &', process.execPath, process.env.CHILD], { stdio: "ignore" });
setInterval(() => {}, 1000);`;

longTest("a stop and a delete name the child that still holds the port", async () => {
  const port = await freePort();
  const child = join(own.home, "server.cjs");
  writeFileSync(child, CHILD);
  await own.run({ name: "leaver", code: LEAVER, env: { PORT: port, CHILD: child } });
  const findPid = async () => (await ports.machine.listeners())?.find((socket) => socket.port === port)?.pid;
  await expect.poll(findPid, { timeout: 20_000 }).toBeTruthy();
  const pid = await findPid();
  onTestFinished(() => void process.kill(pid ?? 0, "SIGKILL"));
  const message = `Port ${port} is taken by node, pid ${pid}, a left-over process of leaver. To end it: kill ${pid}`;
  for (const action of ["stop", "delete"] as const) {
    const { warnings } = await execute(processAct, ports, { action, name: "leaver" }, caller);
    expect(warnings).toMatchObject([{ code: "PROCESS_LEFT_OVER", path: ["apps", "leaver"], message }]);
  }
});

/** PM2 sends SIGKILL to the child after its parent has ended. Without an init that reaps it, PM2 then gives up. */
const PARENT_OF_DEAF = `require("node:child_process").spawn(process.execPath, ["-e", process.env.DEAF], { stdio: "ignore" });
process.on("SIGINT", () => process.exit());
setInterval(() => {}, 1000);`;

test("a stop succeeds if the process has ended, and PM2 still waits for its child", async () => {
  const ready = join(own.home, "deaf-ready");
  const code = `process.on("SIGINT", () => {}); require("node:fs").writeFileSync(${JSON.stringify(ready)}, ""); setInterval(() => {}, 1000);`;
  await own.run({ name: "deaf", code: PARENT_OF_DEAF, env: { DEAF: code }, kill_timeout: 300 });
  await expect.poll(() => existsSync(ready), { timeout: 20_000 }).toBe(true);
  const { affected } = await execute(processAct, ports, { action: "stop", name: "deaf" }, caller);
  expect(affected).toMatchObject([{ name: "deaf", status: "stopped", pid: null }]);
});
