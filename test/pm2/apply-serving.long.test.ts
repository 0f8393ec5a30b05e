/** A cluster app receives requests continuously during an apply. The tests count how many instances answer. */
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { execute, processAct, rolloutApply, rolloutPlan } from "../../src/core/index.ts";
import { freePort } from "../support/free-port.ts";
import { availabilityDuring } from "../support/requests.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { svcm } from "../support/svcm.ts";

const caller = { source: "cli", grants: ["read", "write"] } as const;
const { own, ports } = runningPm2();

/** The app listens after BOOT_MS. On SIGINT it still answers for a moment before it closes its port. */
const APP = `
const server = require("node:http").createServer((_, response) => response.end(JSON.stringify({ pid: process.pid })));
setTimeout(() => server.listen(Number(process.env.SVC_HTTP_PORT), "127.0.0.1"), Number(process.env.BOOT_MS));
const end = () => (server.close(), setTimeout(() => process.exit(0), 200));
process.on("SIGINT", () => setTimeout(end, 200));`;

beforeAll(() => {
  writeFileSync(join(own.folder, "app.cjs"), APP);
  utimesSync(join(own.folder, "app.cjs"), 1e9, 1e9);
  writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 100ms }");
});

/** A cluster app without others. Its next release differs in an argument. */
async function clusterOf(instances: number, bootMs: number, more: object = {}) {
  for (const record of await ports.processes.list()) await ports.processes.remove(record);
  const env = { BOOT_MS: String(bootMs), SVC_HTTP_PORT: String(await freePort()) };
  const app = { name: "restapi", script: "./app.cjs", exec_mode: "cluster", instances, env, ...more };
  own.pm2Folder([app]);
  await execute(rolloutApply, ports, { environment: "dev" }, caller);
  own.pm2Folder([{ ...app, args: "next" }]);
  return Number(env.SVC_HTTP_PORT);
}

const applied = async (): Promise<void> => {
  const flags = ["apply", "--environment", "dev", "--yes"];
  expect(await svcm(flags, { root: own.folder, env: { PM2_HOME: own.home } })).toMatchObject({ code: 0 });
};
const pids = async () => (await ports.processes.list()).map(({ pid }) => pid);

test.each([2, 3, 4])("during an apply of %i instances, as many instances answer at any time", async (instances) => {
  const port = await clusterOf(instances, 1000);
  const before = await pids();
  const { pids: answering, fewest } = await availabilityDuring(port, instances, applied);
  expect(fewest).toBe(instances);
  const after = await pids();
  expect(answering).toEqual(new Set([...before, ...after]));
  expect(answering.size).toBe(2 * instances);
});

test("PM2 ends an instance too early if the new one boots for longer than listen_timeout: one fewer answers, as the plan notes", async () => {
  const port = await clusterOf(3, 2000, { listen_timeout: 1000 });
  const plan = await execute(rolloutPlan, ports, { environment: "dev" }, caller);
  expect(plan.steps[0]?.notes).toContain("LISTEN_TIMEOUT_SHORT");
  expect((await availabilityDuring(port, 3, applied)).fewest).toBe(2);
});

test("the count detects an instance that is restarted instead of reloaded", async () => {
  const port = await clusterOf(3, 1000);
  const restart = () => execute(processAct, ports, { action: "restart", name: "restapi" }, caller);
  // PM2 may restart the next one before this one listens.
  expect((await availabilityDuring(port, 3, restart)).fewest).toBeLessThan(3);
});
