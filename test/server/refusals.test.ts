import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  ask,
  ENV,
  post,
  repository as newRepository,
  testServer,
  type ServerOptions,
  type TestServer,
} from "./support.ts";
import { open, openRefused } from "./socket/support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const TOKEN = "a-token-of-good-length";
const secured = { env: { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: TOKEN } };
const fastify = { values: { SVC_HTTP_FRAMEWORK: "fastify" } };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

type Line = Record<string, unknown>;

/** A server whose PM2_HOME exists, but without a running PM2. */
function homeServer(options: ServerOptions = {}): Promise<TestServer> {
  const files = newRepository();
  mkdirSync(join(files.root, ".pm2"));
  return testServer({ ...options, repository: files });
}

function linesOf(file: string): Line[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

const ofFiles = ({ repository }: TestServer): Line[] => linesOf(repository.auditFile);
const ofProcesses = ({ repository }: TestServer): Line[] => linesOf(join(repository.root, ".pm2/.svcm/audit.jsonl"));
const logged = ({ log }: TestServer): Line[] =>
  log.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === "audit");

describe("a write without the token", () => {
  test("is recorded before it is answered, with its address and without the token", async () => {
    const server = await testServer(secured);
    expect((await post(server, fastify, bearer("guess-0123456789"))).status).toBe(401);
    const record = {
      action: "env.write",
      source: "http",
      address: "127.0.0.1",
      outcome: "refused",
      code: "UNAUTHORIZED",
    };
    expect(ofFiles(server)).toMatchObject([record]);
    expect(logged(server)).toMatchObject([{ ...record, level: 40 }]);
    expect(readFileSync(server.repository.auditFile, "utf8")).not.toContain("guess");
  });

  test("many times leaves at most one record per second, which counts all attempts", async () => {
    const server = await testServer(secured);
    const started = performance.now();
    await Promise.all(Array.from({ length: 50 }, () => post(server, fastify)));
    await server.close();
    const seconds = (performance.now() - started) / 1000;
    const records = ofFiles(server);
    expect(records.reduce((sum, { count = 1 }) => sum + Number(count), 0)).toBe(50);
    expect(records.length).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
  });

  test("that cannot be recorded gets the same answer and is logged", async () => {
    const server = await testServer(secured);
    mkdirSync(server.repository.auditFile, { recursive: true });
    expect((await post(server, fastify)).status).toBe(401);
    await server.logged(/"msg":"audit, not recorded"/);
    expect(server.log.find((line) => line.includes("not recorded"))).toContain('"action":"env.write"');
  });
});

test("on a public address, a read without the token is also recorded", async () => {
  const server = await testServer({ ...secured, host: "0.0.0.0" });
  expect((await ask(server, ENV)).status).toBe(401);
  expect((await ask(server, "/metrics", { headers: bearer("wrong") })).status).toBe(401);
  await server.close();
  expect(ofFiles(server)).toMatchObject([
    { action: "env.read", code: "UNAUTHORIZED" },
    { action: "metrics.read", code: "UNAUTHORIZED" },
  ]);
});

test.each([
  ["no JSON", "{", {}, 400, "INVALID_PAYLOAD"],
  ["another type", "{}", { "content-type": "text/plain" }, 415, "UNSUPPORTED_MEDIA_TYPE"],
  ["another site", "{}", { origin: "http://evil.example" }, 403, "FORBIDDEN"],
])("a write that the access rules refuse is recorded: %s", async (_, body, headers, status, code) => {
  const server = await testServer();
  expect((await post(server, body, headers)).status).toBe(status);
  expect(ofFiles(server)).toMatchObject([{ action: "env.write", outcome: "refused", code }]);
});

test("refused reads and unknown paths leave no record", async () => {
  const server = await testServer(secured);
  await ask(server, `${ENV}?environment=moon`);
  await ask(server, "/api/nothing");
  await ask(server, ENV, { method: "DELETE" });
  await server.close();
  expect(ofFiles(server)).toEqual([]);
});

test("the actor of a change is anonymous without a token, and otherwise the name of the token", async () => {
  const [openServer, closed] = [await testServer(), await testServer(secured)];
  await post(openServer, fastify);
  await post(closed, fastify, bearer(TOKEN));
  expect(ofFiles(openServer).map(({ actor }) => actor)).toEqual(["anonymous", "anonymous"]);
  expect(ofFiles(closed).map(({ actor }) => actor)).toEqual(["token", "token"]);
});

describe("over the WebSocket", () => {
  const stop = { type: "action", action: "stop", name: "api" };

  test.each([
    ["no token", {}],
    ["a wrong token", { token: "guess-0123456789" }],
  ])("an action with %s is recorded with its target", async (_, more) => {
    const server = await homeServer(secured);
    const client = await open(server);
    client.send({ ...stop, ...more });
    expect(await client.next("action-result")).toMatchObject({ ok: false, code: "UNAUTHORIZED" });
    const record = { action: "process.stop", target: "api", source: "ws", address: "127.0.0.1", code: "UNAUTHORIZED" };
    expect(ofProcesses(server)).toMatchObject([record]);
    expect(logged(server)).toMatchObject([record]);
    expect(server.log.join("")).not.toContain("guess");
  });

  test("a wrong token in the upgrade or in a subscription is recorded", async () => {
    const server = await testServer({ ...secured, host: "0.0.0.0" });
    expect(await openRefused(server, { headers: bearer("wrong") })).toMatchObject({ status: 401 });
    const client = await open(server);
    client.send({ type: "subscribe", token: "wrong" });
    expect((await client.next("error")).code).toBe("UNAUTHORIZED");
    await server.close();
    expect(ofFiles(server)).toMatchObject([
      { action: "stream.open", source: "http", code: "UNAUTHORIZED" },
      { action: "stream.subscribe", source: "ws", code: "UNAUTHORIZED" },
    ]);
  });

  test("an action without a running PM2, one above the rate, and a malformed one are recorded", async () => {
    const limits = { actionRate: { perSecond: 0.001, burst: 1 } };
    const server = await homeServer({ limits });
    const client = await open(server);
    client.send({ ...stop, requestId: "first" });
    expect(await client.next("action-result")).toMatchObject({ code: "PM2_NOT_RUNNING" });
    client.send({ ...stop, requestId: "second" });
    expect(await client.next("action-result")).toMatchObject({ code: "RATE_LIMITED" });
    client.send({ type: "action", action: "destroy" });
    expect(await client.next("error")).toMatchObject({ code: "INVALID_ACTION" });
    const refusedWith = (code: string) => ({ outcome: "refused", source: "ws", code });
    expect(ofProcesses(server)).toMatchObject([
      { action: "process.stop", target: "api", actor: "anonymous", ...refusedWith("PM2_NOT_RUNNING") },
      { action: "process.stop", target: "api", address: "127.0.0.1", ...refusedWith("RATE_LIMITED") },
      { action: "process.act", ...refusedWith("INVALID_ACTION") },
    ]);
    expect(logged(server)).toHaveLength(3);
  });

  test("if PM2_HOME does not exist, a refused action is logged and creates no folder", async () => {
    const home = join(temporaryFolder(), "nowhere", "pm2");
    const server = await testServer({ env: { PM2_HOME: home } });
    const client = await open(server);
    client.send(stop);
    expect(await client.next("action-result")).toMatchObject({ code: "PM2_NOT_RUNNING" });
    client.send({ type: "action", action: "destroy" });
    expect(await client.next("error")).toMatchObject({ code: "INVALID_ACTION" });
    await server.close();
    expect(server.log.filter((line) => line.includes("audit, not recorded"))).toHaveLength(2);
    expect(existsSync(dirname(home))).toBe(false);
  });
});

test("a client that disconnects stops the read of the audit log, and no failure is logged", async () => {
  let begin = (_signal: AbortSignal | undefined): void => undefined;
  const begun = new Promise<AbortSignal | undefined>((resolve) => (begin = resolve));
  const server = await testServer({
    env: { SVC_SERVICE_MANAGEMENT_LOG_LEVEL: "debug" },
    world: (ports) => ({
      ...ports,
      audit: {
        ...ports.audit,
        newest: async (_query, signal) => {
          begin(signal);
          await once(signal ?? new EventTarget(), "abort");
          throw signal?.reason;
        },
      },
    }),
  });
  const client = request({ host: "127.0.0.1", port: server.port, path: "/api/runtime/audit", agent: false });
  client.on("error", () => undefined).end();
  expect(await begun).toBeInstanceOf(AbortSignal);
  client.destroy();
  await server.logged(/"msg":"request cut off"/);
  expect(server.log.join("")).not.toContain("request failed");
});
