/** Raw requests that no ordinary client sends. */
import { expect, describe, test } from "vitest";
import { failureBody } from "../../src/core/api/bodies.ts";
import {
  ask,
  ENV,
  parseResponse,
  raw,
  rawConnection,
  sharedServer,
  testServer,
  type ServerOptions,
} from "./support.ts";
import { firstOrAll, longTest } from "../support/runs.ts";

const CLOSE = "Connection: close\r\n";
const get = (target: string, headers: string): string => `GET ${target} HTTP/1.1\r\n${headers}${CLOSE}\r\n`;
const statuses = (text: string): string[] => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = ""]) => status);

const ordinary = sharedServer();

async function answerTo(bytes: string | Buffer, limits?: ServerOptions["limits"]) {
  const server = limits === undefined ? await ordinary() : await testServer({ limits });
  const answer = parseResponse(await raw(server, bytes));
  if (answer.json?.error !== undefined) failureBody.parse(answer.json);
  expect(answer.headers).toContain("content-type: application/json; charset=utf-8");
  expect(answer.headers).toContain("x-content-type-options: nosniff");
  expect(answer.headers).toContain("cache-control: no-store");
  expect((await ask(server, "/healthz")).status).toBe(200);
  return { ...answer, server };
}

/** The server takes the rest of a body for some seconds, so this client ends its part after the answer. */
async function answerThenEnd(bytes: string) {
  const { socket, ended } = rawConnection(await ordinary());
  socket.once("data", () => socket.end());
  socket.write(bytes);
  return parseResponse(await ended);
}

describe("Host", () => {
  test.each(
    firstOrAll([
      ["one", "Host: localhost\r\n", 200],
      ["none", "", 403],
      ["an empty one", "Host:\r\n", 403],
      ["two", "Host: localhost\r\nHost: localhost\r\n", 403],
      ["ours, then another", "Host: localhost\r\nhost: evil.example\r\n", 403],
      ["another, then ours", "HOST: evil.example\r\nHost: localhost\r\n", 403],
      ["another", "Host: evil.example\r\n", 403],
      ["two in one", "Host: localhost, evil.example\r\n", 403],
      ["white space around", "Host: \t localhost \t\r\n", 200],
    ]),
  )("%s", async (_, header, status) => {
    for (const target of ["/", ENV, "/healthz"]) {
      const server = await ordinary();
      expect(parseResponse((await raw(server, get(target, header))).replace(/<.*/s, "")).status).toBe(status);
    }
  });

  test("HTTP/1.0 also needs a Host header", async () => {
    expect((await answerTo("GET /healthz HTTP/1.0\r\n\r\n")).status).toBe(403);
    expect((await answerTo("GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n")).status).toBe(200);
  });
});

describe("the request target", () => {
  test.each([
    ["//%zz", 400],
    ["/%zz", 400],
    ["/%", 400],
    ["/api/runtime/env%00", 404],
    ["/%c0%af", 400],
    ["http://localhost/healthz", 200],
    ["http://evil.example/healthz", 403],
    ["http://evil.example", 403],
    ["https://localhost@evil.example/healthz", 403],
    ["*", 400],
    [`/${"a".repeat(4_000)}`, 404],
    ["/api/runtime/../runtime/env", 404],
    ["/healthz#x", 400],
    ["/healthz;x=1", 404],
  ])("%s", async (target, status) => {
    expect((await answerTo(get(target, "Host: localhost\r\n"))).status).toBe(status);
  });

  test("a malformed request with a foreign host is answered like any other", async () => {
    expect((await answerTo(get("//%zz", "Host: evil.example\r\n"))).status).toBe(403);
    expect((await answerTo(get("//%zz", "Host: localhost\r\nOrigin: http://evil.example\r\n"))).status).toBe(403);
  });
});

describe("an upgrade", () => {
  const upgrade = (target: string, headers: string): string =>
    `GET ${target} HTTP/1.1\r\n${headers}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;

  test.each([
    ["nothing there", "/api/nothing", "Host: localhost\r\n", 404],
    ["from our own page", "/api/nothing", "Host: localhost\r\nOrigin: http://localhost\r\n", 404],
    ["from another origin", "/api/runtime/pm2-ws", "Host: localhost\r\nOrigin: http://evil.example\r\n", 403],
    ["from another port", "/api/runtime/pm2-ws", "Host: localhost\r\nOrigin: http://localhost:1\r\n", 403],
    ["from a sandbox", "/api/runtime/pm2-ws", "Host: localhost\r\nOrigin: null\r\n", 403],
    ["for another host", "/api/runtime/pm2-ws", "Host: evil.example\r\nOrigin: http://evil.example\r\n", 403],
    ["for another host, malformed", "//%zz", "Host: evil.example\r\n", 403],
    ["malformed", "//%zz", "Host: localhost\r\n", 400],
    ["of a route that has another use", "/healthz", "Host: localhost\r\n", 200],
  ])("%s", async (_, target, headers, status) => {
    const server = await ordinary();
    const { socket } = rawConnection(server);
    socket.write(upgrade(target, headers));
    const response = await new Promise<string>((resolve) => socket.once("data", (chunk) => resolve(chunk.toString())));
    const answer = parseResponse(response);
    expect(answer.status).toBe(status);
    expect(answer.headers).not.toContain("upgrade");
    expect((await ask(server, "/healthz")).status).toBe(200);
  });

  test("CONNECT ends the connection", async () => {
    const server = await ordinary();
    expect(await raw(server, "CONNECT evil.example:80 HTTP/1.1\r\nHost: localhost\r\n\r\n")).not.toContain(
      "HTTP/1.1 200",
    );
    expect((await ask(server, "/healthz")).status).toBe(200);
  });
});

describe("bytes that are not HTTP", () => {
  test.each([
    ["another protocol", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003"],
    ["a bare line feed in a header", "GET / HTTP/1.1\r\nHost: localhost\nX: y\r\n\r\n\u0000"],
    ["a header without a name", "GET / HTTP/1.1\r\n: x\r\n\r\n"],
    ["a method that does not exist", "HUNTER2 / HTTP/1.1\r\n\r\n"],
    ["two lengths", `POST ${ENV} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`],
    [
      "length and chunks",
      `POST ${ENV} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
    ],
  ])("%s is answered with 400 and svcm's error body", async (_, bytes) => {
    const { status, json, headers } = await answerTo(Buffer.from(bytes, "latin1"));
    expect(status).toBe(400);
    expect(json).toEqual({ error: "Invalid request.", details: "The request is not well-formed HTTP." });
    expect(headers).toContain("connection: close");
  });

  test("a malformed chunk ends the request with 400", async () => {
    const head = `POST ${ENV} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect((await answerTo(`${head}zz\r\n`)).status).toBe(400);
  });
});

describe("sizes", () => {
  test("headers of 9 KiB are answered with 431", async () => {
    const { status, json } = await answerTo(get(ENV, `Host: localhost\r\nX: ${"x".repeat(9 * 1024)}\r\n`));
    expect(status).toBe(431);
    expect(json).toEqual({ error: "Request header fields too large.", details: "Accepted: at most 8192 bytes." });
  });

  test("headers of 7 KiB are accepted", async () => {
    expect((await answerTo(get(ENV, `Host: localhost\r\nX: ${"x".repeat(7 * 1024)}\r\n`))).status).toBe(200);
  });

  test("an announced body of a gigabyte is answered with 413 before it is sent", async () => {
    const headers = "Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000000\r\n";
    expect((await answerThenEnd(`POST ${ENV} HTTP/1.1\r\n${headers}${CLOSE}\r\n`)).status).toBe(413);
  });

  test("a refusal is sent before the body is read", async () => {
    const headers = "Host: evil.example\r\nContent-Type: application/json\r\nContent-Length: 1000000000\r\n";
    expect((await answerThenEnd(`POST ${ENV} HTTP/1.1\r\n${headers}${CLOSE}\r\n`)).status).toBe(403);
  });
});

describe("a client", () => {
  const limits = { headersTimeoutMs: 100, requestTimeoutMs: 200, checkIntervalMs: 20 };

  test("that sends its headers slowly gets 408", async () => {
    const { status, json } = await answerTo(`GET ${ENV} HTTP/1.1\r\nHost: localhost\r\nX: `, limits);
    expect(status).toBe(408);
    expect(json).toEqual({ error: "Request timeout.", details: "The request did not arrive in time." });
  });

  test("that sends its body slowly gets 408, and nothing is written", async () => {
    const body = '{"values":{"SVC_HTTP_FRAMEWORK":"fastify"}}';
    const head = `POST ${ENV} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length + 1}\r\n\r\n`;
    const { status, server } = await answerTo(head + body, limits);
    expect(status).toBe(408);
    expect(server.text()).toContain("SVC_HTTP_FRAMEWORK=express");
  });

  test("that sends nothing is disconnected without an answer", async () => {
    const server = await testServer({ limits });
    expect(await rawConnection(server).ended).toBe("");
    expect(server.log.join("")).not.toContain("broken request");
  });

  longTest("that waits between requests is disconnected when the idle connection times out", async () => {
    const server = await testServer({ limits: { keepAliveTimeoutMs: 50 } });
    expect(statuses(await raw(server, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"))).toEqual(["200"]);
  });

  test("that disconnects while it sends a body leaves nothing behind", async () => {
    const server = await testServer();
    const { socket, ended } = rawConnection(server);
    socket.end(
      `POST ${ENV} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    );
    await ended;
    expect((await ask(server, "/healthz")).status).toBe(200);
    expect(server.log.join("")).not.toMatch(/DEFECT|CUT_OFF/);
  });
});

test("pipelined requests are answered in order, each by the usual rules", async () => {
  const server = await testServer();
  const body = '{"values":{"SVC_HTTP_FRAMEWORK":"restify"}}';
  const requests = [
    `GET ${ENV} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    `POST ${ENV} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    "DELETE /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    get("/healthz", "Host: localhost\r\n"),
  ];
  expect(statuses(await raw(server, requests.join("")))).toEqual(["200", "404", "403", "200", "405", "200"]);
});

test("bytes after the request do not affect an unfinished answer", async () => {
  const server = await ordinary();
  const text = await raw(server, `GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nnot HTTP at all\r\n\r\n`);
  for (const part of text.split(/(?=HTTP\/1\.1 )/)) expect(() => parseResponse(part)).not.toThrow();
});

test("a request with an unknown expectation is answered", async () => {
  const server = await ordinary();
  expect(statuses(await raw(server, get("/healthz", "Host: localhost\r\nExpect: the-unexpected\r\n")))).toEqual([
    "200",
  ]);
});
