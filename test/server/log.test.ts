import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { ask, ENV, post, testServer, type TestServer } from "./support.ts";

const LEVEL = "SVC_SERVICE_MANAGEMENT_LOG_LEVEL";

/** The lines between being ready and the end, without what differs from run to run. */
function requestLines({ log }: TestServer): Record<string, unknown>[] {
  const lines = log.map((line) => JSON.parse(line) as Record<string, unknown>);
  return lines
    .filter(({ msg }) => !["starting", "ready"].includes(String(msg)))
    .map(({ time: _time, pid: _pid, ms: _ms, ...rest }) => rest);
}

test("each line is one JSON document with time and level", async () => {
  const server = await testServer();
  await ask(server, "/nothing");
  for (const line of server.log) {
    expect(line.endsWith("\n")).toBe(true);
    const { time, level } = JSON.parse(line) as { time: string; level: number };
    expect(new Date(time).toISOString()).toBe(time);
    expect(level).toBeTypeOf("number");
  }
});

test("a refused request is one line, with the route's pattern and never a query, header or body", async () => {
  const server = await testServer();
  await ask(server, `${ENV}?environment=hunter2`, { headers: { "x-secret": "hunter2" } });
  await post(server, { values: { SVC_HTTP_FRAMEWORK: "hunter2" } });
  await ask(server, "/api/hunter2");
  await ask(server, `${ENV}?x=hunter2`, { method: "DELETE" });
  expect(requestLines(server).filter(({ msg }) => msg !== "audit")).toEqual([
    { level: 40, method: "GET", route: ENV, status: 400, code: "INVALID_ENVIRONMENT", msg: "request refused" },
    { level: 40, method: "POST", route: ENV, status: 400, code: "INVALID_PAYLOAD", msg: "request refused" },
    { level: 40, method: "GET", route: null, status: 404, code: "NOT_FOUND", msg: "request refused" },
    { level: 40, method: "DELETE", route: null, status: 405, code: "METHOD_NOT_ALLOWED", msg: "request refused" },
  ]);
  expect(server.log.join("")).not.toContain("hunter2");
});

test("a request that failed is an error line with the system's code", async () => {
  const server = await testServer({ env: { NODE_ENV: "staging" } });
  rmSync(server.repository.envFile("staging"));
  await ask(server, ENV);
  expect(requestLines(server)).toEqual([
    { level: 50, method: "GET", route: ENV, status: 500, code: "ENV_FILE_NOT_FOUND", msg: "request failed" },
  ]);
});

test("reads leave no line at the default level, and one at debug", async () => {
  const [quiet, verbose] = [await testServer(), await testServer({ env: { [LEVEL]: "debug" } })];
  for (const server of [quiet, verbose]) {
    await ask(server, ENV);
    await ask(server, "/healthz", { method: "HEAD" });
  }
  expect(requestLines(quiet)).toEqual([]);
  expect(requestLines(verbose)).toEqual([
    { level: 20, method: "GET", route: ENV, status: 200, msg: "request answered" },
    { level: 20, method: "HEAD", route: "/healthz", status: 200, msg: "request answered" },
  ]);
});

test("silent is silent", async () => {
  const server = await testServer({ env: { [LEVEL]: "silent" } });
  await post(server, { values: { SVC_HTTP_FRAMEWORK: "fastify" } });
  await ask(server, "/nothing");
  await server.close();
  expect(server.log).toEqual([]);
});

test("a write is logged as its records are", async () => {
  const server = await testServer();
  await post(server, { values: { SVC_HTTP_FRAMEWORK: "fastify" } });
  const [started, succeeded] = requestLines(server);
  expect(started).toMatchObject({
    level: 30,
    msg: "audit",
    action: "env.write",
    environment: "dev",
    outcome: "started",
    source: "http",
  });
  expect(succeeded).toMatchObject({ id: started?.["id"], outcome: "succeeded", keys: ["SVC_HTTP_FRAMEWORK"] });
});
