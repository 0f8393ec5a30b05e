/** The development profile under a real PM2, from start to stop. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { watchItems } from "./grpc-client.ts";
import type { EcosystemDrift, MetricsPayload, ProcessListResponse } from "../../../src/core/index.ts";
import { connect } from "../../../src/client/index.ts";
import { checkout, moveToFreePorts, takenOf } from "../../../test/support/checkout.ts";
import { pm2, type Pm2 } from "../../../test/support/pm2-daemon.ts";
import { svcm as runSvcm, type RunResult } from "../../../test/support/svcm.ts";
import { firstOrAll, longTest } from "../../../test/support/runs.ts";

const APPS = ["dev-grpcapi", "dev-restapi", "dev-service-management", "dev-websocketapi"];
let own: Pm2;
let root: string;
let ports: Awaited<ReturnType<typeof moveToFreePorts>>;

beforeAll(async () => {
  own = pm2();
  root = join(own.folder, "checkout");
  checkout(root);
  ports = await moveToFreePorts(root);
});
afterAll(() => own.end());

const svcm = (...args: string[]): Promise<RunResult> => runSvcm(args, { root, env: { PM2_HOME: own.home } });

async function json<T>(...args: string[]): Promise<T> {
  const { stdout } = await svcm(...args, "--json");
  return JSON.parse(stdout) as T;
}

async function health(port: number): Promise<{ framework: string; pid: number }> {
  return (await (await fetch(`http://127.0.0.1:${port}/health`)).json()) as { framework: string; pid: number };
}

const frameworkAt = async (port: number): Promise<string> => (await health(port)).framework;
const pidAt = async (port: number): Promise<number> => (await health(port)).pid;

const states = async () => {
  const { processes } = await json<ProcessListResponse>("process", "list");
  return Object.fromEntries(processes.map(({ name, status }) => [name, status]));
};

async function drift() {
  const { code, stdout } = await svcm("ecosystem", "drift", "--json");
  const found = (JSON.parse(stdout) as EcosystemDrift).drift.map(
    ({ name, field, state }) => `${name} ${field} ${state}`,
  );
  return { code, found };
}

test.each(firstOrAll(["dev", "staging", "production"]))(
  "the ecosystem file of %s is what deployments.yaml promises",
  async (name) => {
    expect(await svcm("ecosystem", "check", "--environment", name)).toEqual({
      code: 0,
      stdout: `ecosystem.${name}.config.cjs is valid.\n`,
      stderr: "",
    });
  },
);

longTest("the profile starts as declared: all four processes are online, each at its port", async () => {
  expect(await svcm("process", "start", "--ecosystem")).toMatchObject({ code: 0, stderr: "" });
  expect(await states()).toEqual(Object.fromEntries(APPS.map((name) => [name, "online"])));
  expect(await drift()).toEqual({ code: 0, found: [] });
  for (const port of [ports.restapi, ports.websocketapi, ports.grpcapiHttp]) {
    expect(await frameworkAt(port)).toBe("express");
  }
  using watched = await watchItems(`gRPC on 127.0.0.1:${ports.grpcapi}`);
  await fetch(`http://127.0.0.1:${ports.grpcapiHttp}/items`, { method: "POST", body: '{"name":"seen"}' });
  expect(await watched.next()).toMatchObject({ name: "seen" });
});

longTest("the metrics list all four processes, with the async contexts of those that serve HTTP", async () => {
  const show = () => json<MetricsPayload>("metrics", "show", "--async-context");
  const contexts = async () => {
    const { processes } = await show();
    return Object.fromEntries(processes.map(({ name, asyncContext }) => [name, asyncContext]));
  };
  const counted = expect.objectContaining({ recentStores: expect.any(Array) as unknown[] }) as unknown;
  // On a loaded machine, an app may need more than the time-out of one second.
  await expect.poll(contexts).toEqual({
    "dev-grpcapi": counted,
    "dev-restapi": counted,
    "dev-service-management": null,
    "dev-websocketapi": counted,
  });
  expect((await show()).ecosystem).toMatchObject({ missingExpected: [], unexpected: [] });
});

longTest(
  "Service Management runs as an app of this PM2 and shows the same PM2 and the same ecosystem file",
  async () => {
    const response = await fetch(`http://127.0.0.1:${ports.serviceManagement}/api/runtime/pm2-metrics?environment=dev`);
    const { processes, ecosystem } = (await response.json()) as MetricsPayload;
    expect(processes.map(({ name, status }) => [name, status])).toEqual(APPS.map((name) => [name, "online"]));
    expect(ecosystem).toMatchObject({ drift: [] });
  },
);

longTest("Service Management restarts another app on request, but refuses to stop itself", async () => {
  const client = connect({ url: `http://127.0.0.1:${ports.serviceManagement}`, WebSocket });
  for (const action of ["stop", "restart"] as const) {
    const refused = await client.act({ action, name: "dev-service-management" });
    expect(refused).toMatchObject({ ok: false, code: "SELF_ACTION_BLOCKED" });
  }
  const before = await pidAt(ports.restapi);
  expect(await client.act({ action: "restart", name: "dev-restapi" })).toMatchObject({ ok: true });
  client.close();
  expect(await pidAt(ports.restapi)).not.toBe(before);
  expect(await states()).toMatchObject({ "dev-service-management": "online" });
});

longTest(
  "after a change of the framework, the env file is stale until a restart, and then the new framework answers",
  async () => {
    expect(await svcm("env", "set", "SVC_HTTP_FRAMEWORK=fastify")).toMatchObject({ code: 0 });
    expect(await frameworkAt(ports.restapi)).toBe("express");
    const stale = ["dev-grpcapi", "dev-restapi", "dev-websocketapi"].map((name) => `${name} envFile stale`);
    expect(await drift()).toEqual({ code: 1, found: stale });
    expect(await svcm("process", "restart", "dev-restapi")).toMatchObject({ code: 0 });
    expect(await frameworkAt(ports.restapi)).toBe("fastify");
    expect(await drift()).toEqual({ code: 1, found: stale.filter((one) => !one.includes("restapi")) });
    for (const name of ["dev-grpcapi", "dev-websocketapi"]) {
      expect(await svcm("process", "restart", name)).toMatchObject({ code: 0 });
    }
    expect(await drift()).toEqual({ code: 0, found: [] });
    expect(await frameworkAt(ports.websocketapi)).toBe("fastify");
  },
);

longTest("an unsupported value in the env file fails the restart, and the log has the reason", async () => {
  const file = join(root, "apps/backend-template/src/config/.env.dev");
  const good = readFileSync(file, "utf8");
  writeFileSync(file, good.replace("=fastify", "=koa"));
  const { code, stdout } = await svcm("process", "restart", "dev-restapi", "--json");
  expect({ code, answer: JSON.parse(stdout) as unknown }).toMatchObject({
    code: 3,
    answer: { code: "RESTART_VERIFY_FAILED", details: expect.stringContaining("exit code 1") as string },
  });
  while ((await states())["dev-restapi"] !== "errored");
  const log = readFileSync(join(own.home, "logs/dev-restapi-error.log"), "utf8");
  expect(log).toContain('SVC_HTTP_FRAMEWORK: unsupported value "koa"; accepted: express, fastify');
  writeFileSync(file, good);
  expect(await svcm("process", "restart", "dev-restapi")).toMatchObject({ code: 0 });
  expect(await frameworkAt(ports.restapi)).toBe("fastify");
});

longTest("each process ends without being killed, and its port is free afterwards", async () => {
  for (const name of APPS) expect(await svcm("process", "stop", name)).toMatchObject({ code: 0 });
  expect(await states()).toEqual(Object.fromEntries(APPS.map((name) => [name, "stopped"])));
  expect(own.pids()).toHaveLength(1);
  expect(await takenOf(ports)).toEqual([]);
  // The log shows whether PM2 had to kill a process that took too long.
  expect(readFileSync(join(own.home, "pm2.log"), "utf8")).not.toContain("SIGKILL");
});
