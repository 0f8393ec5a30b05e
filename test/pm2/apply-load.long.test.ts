/** Requests during applies: 200 a second, each with its own connection. */
import { writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { execute, processAct, rolloutApply, SvcmError, type Ports } from "../../src/core/index.ts";
import { freePort } from "../support/free-port.ts";
import { pm2, type Pm2 } from "../support/pm2-daemon.ts";

const caller = { source: "cli", grants: ["read", "write"] } as const;
const ROUNDS = 5;
let own: Pm2;
let ports: Ports;
let port: number;

/** Each answer takes 50 ms. At SIGINT it finishes what is in flight. */
const APP = `
const { MODE, SVC_HTTP_PORT } = process.env;
if (MODE === "crash") process.exit(3);
if (MODE === "late") setTimeout(() => process.exit(3), 300);
const server = require("node:http").createServer((request, response) => {
  const status = MODE === "bad" ? 500 : 200;
  setTimeout(() => response.writeHead(status).end(JSON.stringify({ pid: process.pid })), 50);
});
if (MODE !== "silent" && MODE !== "late") server.listen(Number(SVC_HTTP_PORT), "127.0.0.1", () => process.send?.("ready"));
setInterval(() => {}, 1e6);
process.on("SIGINT", () => server.close(() => process.exit(0)));`;

beforeAll(async () => {
  own = pm2();
  await own.startDaemon();
  ports = own.ports();
  writeFileSync(join(own.folder, "app.cjs"), APP);
  writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 500ms, healthyDeadline: 5s }");
  port = await freePort();
  await apply("good", "0");
});
afterAll(() => own.end());

const apply = (MODE: string, args: string, preflight = false, more: object = {}) => {
  const env = { MODE, SVC_HTTP_PORT: String(port) };
  const app = {
    name: "restapi",
    script: "./app.cjs",
    exec_mode: "cluster",
    instances: 2,
    listen_timeout: 10_000,
    args,
    env,
    ...more,
  };
  own.pm2Folder([app]);
  return execute(rolloutApply, ports, { environment: "dev", preflight }, caller);
};

/** The requests that failed while something ran, of those that were sent. */
async function lostDuring(work: () => Promise<unknown>): Promise<{ sent: number; failed: number }> {
  const asked: Promise<boolean>[] = [];
  const timer = setInterval(() => asked.push(isAnswered()), 5);
  await work().finally(() => clearInterval(timer));
  const answered = await Promise.all(asked);
  return { sent: answered.length, failed: answered.filter((isGood) => !isGood).length };
}

function isAnswered(): Promise<boolean> {
  return new Promise((resolve) => {
    get({ host: "127.0.0.1", port, path: "/", agent: false }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode === 200));
    }).once("error", () => resolve(false));
  });
}

test("rolling applies of a cluster lose no request, and at most as many as PM2's own reload", async () => {
  const applied = await lostDuring(async () => {
    for (let round = 1; round <= ROUNDS; round += 1) await apply("good", String(round));
  });
  const reloaded = await lostDuring(async () => {
    for (let round = 1; round <= ROUNDS; round += 1)
      await execute(processAct, ports, { action: "reload", name: "restapi" }, caller);
  });
  expect(applied.sent).toBeGreaterThan(100);
  expect(applied.failed).toBeLessThanOrEqual(reloaded.failed);
  expect(applied.failed).toBe(0);
});

const refusedWith = (kind: string, done: Promise<unknown>): Promise<void> =>
  done.then(
    () => Promise.reject(new Error("it was not refused")),
    (error: unknown) => {
      if (!(error instanceof SvcmError) || error.kind !== kind) throw error;
    },
  );

test("a release that crashes at its start loses no request without a preflight, because the former run serves until it is back", async () => {
  const lost = await lostDuring(() => refusedWith("APPLY_REVERTED", apply("crash", "0")));
  expect(lost.sent).toBeGreaterThan(100);
  expect(lost.failed).toBe(0);
  // PM2 has answered the reload, so it takes the next one.
  await apply("good", "after");
});

test("a release that ends again and again before it is ready is taken back in a cluster", async () => {
  const app = { wait_ready: true, listen_timeout: 2000, kill_timeout: 300, min_uptime: 100 };
  await apply("good", "0", false, app);
  await refusedWith("APPLY_REVERTED", apply("late", "0", false, app));
  expect(await isAnswered()).toBe(true);
});

test.each(["crash", "bad", "silent"])("a release in the mode %s loses no request with a preflight", async (mode) => {
  const lost = await lostDuring(() => refusedWith("PREFLIGHT_FAILED", apply(mode, "0", true)));
  // A crash is refused at once.
  expect(lost.sent).toBeGreaterThan(0);
  expect(lost.failed).toBe(0);
});
