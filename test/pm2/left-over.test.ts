/** A child that outlives its parent, and keeps the port that the next run of the app needs. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
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
