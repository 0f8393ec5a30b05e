import { writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { execute, processAct, rolloutApply, SvcmError } from "../../src/core/index.ts";
import { freePort } from "../support/free-port.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { isResponding, loadDuring, SERVER } from "../support/requests.ts";

const caller = { source: "cli", grants: ["read", "write"] } as const;
const ROUNDS = 5;
const { own, ports } = runningPm2();
let port: number;

beforeAll(async () => {
  writeFileSync(join(own.folder, "app.cjs"), SERVER);
  writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 500ms, healthyDeadline: 5s }");
  port = await freePort();
  await apply("good", "0");
});

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

test("rolling applies of a cluster lose no request, so never more than PM2's own reload", async () => {
  const applied = await loadDuring(port, async () => {
    for (let round = 1; round <= ROUNDS; round += 1) await apply("good", String(round));
  });
  const reloaded = await loadDuring(port, async () => {
    for (let round = 1; round <= ROUNDS; round += 1)
      await execute(processAct, ports, { action: "reload", name: "restapi" }, caller);
  });
  expect(applied.sent).toBeGreaterThan(100);
  expect(applied.failed).toBeLessThanOrEqual(reloaded.failed);
  expect(applied.failed).toBe(0);
});

test("a cluster app with a new name loses no request", async () => {
  await apply("good", "0");
  const ids = (await ports.processes.list()).map(({ pmId }) => pmId);
  const lost = await loadDuring(port, () => apply("good", "0", false, { name: "restapi-renamed" }));
  expect(lost.failed).toBe(0);
  const after = await ports.processes.list();
  expect(after.map(({ pmId, name }) => [pmId, name])).toEqual(ids.map((id) => [id, "restapi-renamed"]));
  await apply("good", "0");
});

const refusedWith = (kind: string, done: Promise<unknown>): Promise<void> =>
  done.then(
    () => Promise.reject(new Error("it was not refused")),
    (error: unknown) => {
      if (!(error instanceof SvcmError) || error.kind !== kind) throw error;
    },
  );

test("a release that crashes at its start loses no request without a preflight, because the former process serves until it is back", async () => {
  const lost = await loadDuring(port, () => refusedWith("APPLY_REVERTED", apply("crash", "0")));
  expect(lost.sent).toBeGreaterThan(100);
  expect(lost.failed).toBe(0);
  // PM2 has answered the reload, so it accepts the next one.
  await apply("good", "after");
});

test("a release that ends repeatedly before it is ready is reverted in a cluster", async () => {
  const app = { wait_ready: true, listen_timeout: 2000, kill_timeout: 300, min_uptime: 100 };
  await apply("good", "0", false, app);
  await refusedWith("APPLY_REVERTED", apply("late", "0", false, app));
  expect(await isResponding(port)).toBe(true);
});

test.each(["crash", "bad", "silent"])("a release in the mode %s loses no request with a preflight", async (mode) => {
  const lost = await loadDuring(port, () => refusedWith("PREFLIGHT_FAILED", apply(mode, "0", true)));
  // A crashed process refuses connections immediately.
  expect(lost.sent).toBeGreaterThan(0);
  expect(lost.failed).toBe(0);
});

/** Node.js ends at SIGINT unless the app handles it. */
const ABRUPT = `require("node:http").createServer((_, response) => setTimeout(() => response.end(), 400))
  .listen(Number(process.env.SVC_HTTP_PORT), "127.0.0.1");`;

test("an app that ends at SIGINT loses the requests that it is answering, and none is refused", async () => {
  writeFileSync(join(own.folder, "app.cjs"), ABRUPT);
  await apply("good", "abrupt");
  const codes: (string | undefined)[] = [];
  const timer = setInterval(() => {
    get({ port, host: "127.0.0.1", agent: false }, (response) => response.resume()).on("error", (error) =>
      codes.push("code" in error ? String(error.code) : undefined),
    );
  }, 10);
  await apply("good", "again").finally(() => clearInterval(timer));
  expect(codes.length).toBeGreaterThan(0);
  expect(codes).not.toContain("ECONNREFUSED");
});
