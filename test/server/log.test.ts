import { mkdirSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { serverLog } from "../../src/server/log.ts";
import { ask, ENV, post, repository, testServer, type TestServer } from "./support.ts";

const FORM = "SVC_SERVICE_MANAGEMENT_LOG";
const LEVEL = "SVC_SERVICE_MANAGEMENT_LOG_LEVEL";

/** The lines between readiness and the end, without the parts that differ between runs. */
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

test("a refused request is one line with the route's pattern, without query, header or body", async () => {
  const server = await testServer();
  await ask(server, `${ENV}?environment=hunter2`, { headers: { "x-secret": "hunter2" } });
  await post(server, { values: { SVC_HTTP_FRAMEWORK: "hunter2" } });
  await ask(server, "/api/hunter2");
  await ask(server, `${ENV}?x=hunter2`, { method: "DELETE" });
  expect(requestLines(server).filter(({ msg }) => msg !== "audit")).toEqual([
    { level: 40, method: "GET", route: ENV, status: 400, code: "INVALID_ENVIRONMENT", msg: "request refused" },
    {
      level: 40,
      method: "POST",
      route: ENV,
      status: 400,
      code: "INVALID_PAYLOAD",
      audited: true,
      msg: "request refused",
    },
    { level: 40, method: "GET", route: null, status: 404, code: "NOT_FOUND", msg: "request refused" },
    { level: 40, method: "DELETE", route: null, status: 405, code: "METHOD_NOT_ALLOWED", msg: "request refused" },
  ]);
  expect(server.log.join("")).not.toContain("hunter2");
});

test("a line of a refusal that could not be recorded does not say that it was", async () => {
  const files = repository();
  rmSync(files.auditFile, { force: true });
  mkdirSync(files.auditFile, { recursive: true });
  const server = await testServer({ repository: files });
  await post(server, { values: { SVC_HTTP_FRAMEWORK: "fastify" } });
  const lines = requestLines(server);
  expect(lines.map(({ msg }) => msg)).toContain("audit, not recorded");
  expect(lines.at(-1)).toMatchObject({ status: 500, code: "EISDIR", audited: true });
  expect(lines.at(-1)).not.toHaveProperty("recorded");
});

test("a failed request is an error line with the system's code", async () => {
  const server = await testServer({ env: { NODE_ENV: "staging" } });
  rmSync(server.repository.envFile("staging"));
  await ask(server, ENV);
  expect(requestLines(server)).toEqual([
    { level: 50, method: "GET", route: ENV, status: 500, code: "ENV_FILE_NOT_FOUND", msg: "request failed" },
  ]);
});

test("reads are not logged at the default level, and have one line at debug", async () => {
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

test("level silent logs nothing", async () => {
  const server = await testServer({ env: { [LEVEL]: "silent" } });
  await post(server, { values: { SVC_HTTP_FRAMEWORK: "fastify" } });
  await ask(server, "/nothing");
  await server.close();
  expect(server.log).toEqual([]);
});

test("a write is logged with its audit records", async () => {
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

describe("the readable log", () => {
  const SECOND = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ  /;

  /** The lines between readiness and the end, without the time and the milliseconds. */
  function readableLines({ log }: TestServer): string[] {
    expect(log.filter((line) => !SECOND.test(line) || !line.endsWith("\n"))).toEqual([]);
    const lines = log.map((line) => line.replace(SECOND, "").replace(/ {2}[\d.]+ ms(?=\s)/, "  <ms>"));
    return lines.filter((line) => !/^(?:starting|ready)/.test(line)).map((line) => line.trimEnd());
  }

  test("a terminal shows one line for each write, and one for each refused request", async () => {
    const server = await testServer({ isTerminal: true });
    await post(server, { values: { SVC_HTTP_FRAMEWORK: "fastify" } });
    await post(server, { values: { SVC_HTTP_FRAMEWORK: "hunter2" } });
    await post(server, "{", { "content-type": "text/plain" });
    await ask(server, `${ENV}?environment=hunter2`);
    await ask(server, "/api/hunter2");
    expect(readableLines(server)).toEqual([
      "env.write  dev  SVC_HTTP_FRAMEWORK  by anonymous (http)  succeeded  <ms>",
      "env.write  dev  SVC_HTTP_FRAMEWORK  by anonymous (http)  refused (INVALID_PAYLOAD)  <ms>",
      "env.write  by http  from 127.0.0.1  refused (UNSUPPORTED_MEDIA_TYPE)",
      "warning  request refused  GET  /api/runtime/env  400  INVALID_ENVIRONMENT  <ms>",
      "warning  request refused  GET  (no route)  404  NOT_FOUND  <ms>",
    ]);
  });

  test("the variable decides, on a terminal and elsewhere", async () => {
    const json = await testServer({ isTerminal: true, env: { [FORM]: "json" } });
    const text = await testServer({ env: { [FORM]: " Text " } });
    expect(JSON.parse(json.log[0] ?? "")).toMatchObject({ msg: "starting" });
    expect(text.log[0]).toMatch(/Z {2}starting {2}version 1\.2\.3 {2}host 127\.0\.0\.1 {2}port 0\n$/);
  });

  test("control characters are shown escaped", async () => {
    const log: string[] = [];
    const lines = serverLog({ logLevel: "info", logForm: "text" }, { write: (line) => log.push(line) });
    lines.warn({ target: "a\u001B[2Jb\u202Ec\nd" }, "\u009Bx");
    lines.error({ stack: "Error: \u001B]0;x\u0007\n    at here" }, "request failed");
    expect(log.map((line) => line.replace(SECOND, ""))).toEqual([
      "warning  \uFFFDx  target a\uFFFD[2Jb\uFFFDc d\n",
      "error  request failed\n  Error: \uFFFD]0;x\uFFFD\n      at here\n",
    ]);
  });

  test("a write whose record fails is still one line", async () => {
    const files = repository();
    rmSync(files.auditFile, { force: true });
    mkdirSync(files.auditFile, { recursive: true });
    const server = await testServer({ isTerminal: true, repository: files });
    await post(server, { values: { SVC_HTTP_FRAMEWORK: "fastify" } });
    expect(readableLines(server)).toEqual([
      "env.write  dev  SVC_HTTP_FRAMEWORK  by anonymous (http)  refused (EISDIR)  <ms>  not recorded",
    ]);
  });
});
