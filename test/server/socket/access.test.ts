import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { ask, parseResponse, raw, sharedServer, testServer } from "../support.ts";
import { manualTelemetry, sample, withTelemetry } from "./hand-telemetry.ts";
import { open, openRefused, type ClientSettings } from "./support.ts";
import { VISIBLE_ASCII } from "../../support/tokens.ts";

const TOKEN = "a-token-of-good-length";
const env = { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: TOKEN };
const asProtocol = (token: string) => ["svcm.v1", `svcm.bearer.${Buffer.from(token).toString("base64url")}`];
const header = (token: string): ClientSettings => ({ headers: { authorization: `Bearer ${token}` } });
const PATH = "/api/runtime/pm2-ws";
const stop = { type: "action", action: "stop", name: "nothing" };
const subscribe = { type: "subscribe" };

const UPGRADE =
  "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

const anonymous = sharedServer({ world: withTelemetry(manualTelemetry()) });

function start(options: Parameters<typeof testServer>[0] = {}) {
  return testServer({ world: withTelemetry(manualTelemetry()), ...options });
}

describe("the origin of a WebSocket", () => {
  test.each<[string, Record<string, string>]>([
    ["a rebound name", { host: "evil.example" }],
    ["another host's port", { host: "evil.example:3200" }],
    ["a foreign origin", { origin: "http://evil.example" }],
    ["an opaque origin", { origin: "null" }],
    ["another port of this machine", { origin: "http://127.0.0.1:1" }],
    ["another scheme", { origin: "https://127.0.0.1" }],
    ["another site, by what the browser says", { "sec-fetch-site": "cross-site" }],
  ])("%s is answered with 403", async (_, headers) => {
    const { status, json } = await openRefused(await anonymous(), { headers });
    expect({ status, error: json.error }).toEqual({ status: 403, error: "Forbidden." });
  });

  test("localhost and 127.0.0.1 are different origins", async () => {
    const server = await anonymous();
    const host = `127.0.0.1:${server.port}`;
    expect((await openRefused(server, { headers: { host, origin: `http://localhost:${server.port}` } })).status).toBe(
      403,
    );
    await open(server, { headers: { host, origin: `http://${host}` } });
    await open(server, { headers: { host: `localhost:${server.port}`, origin: `http://localhost:${server.port}` } });
    await open(server, { headers: { host: "localhost" } });
  });

  test("two Host headers are answered with 403", async () => {
    const { status } = parseResponse(
      await raw(await anonymous(), `GET ${PATH} HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n${UPGRADE}\r\n`),
    );
    expect(status).toBe(403);
  });
});

describe("a request that is not a WebSocket handshake", () => {
  test.each([
    [`GET //%zz HTTP/1.1`, 400],
    [`GET /%zz HTTP/1.1`, 400],
    [`GET * HTTP/1.1`, 400],
    [`GET / HTTP/1.1`, 200],
    [`GET /healthz HTTP/1.1`, 200],
    [`GET /api/nothing HTTP/1.1`, 404],
    [`GET ${PATH}/ HTTP/1.1`, 404],
    [`GET /API/runtime/pm2-ws HTTP/1.1`, 404],
    [`GET ${PATH}?token=${TOKEN} HTTP/1.1`, 400],
    [`POST ${PATH} HTTP/1.1`, 405],
    [`PUT ${PATH} HTTP/1.1`, 405],
    [`GET http://evil.example${PATH} HTTP/1.1`, 403],
  ])("%s is answered with %i, and the server keeps running", async (line, status) => {
    const server = await anonymous();
    const answer = parseResponse(
      (await raw(server, `${line}\r\nHost: localhost\r\n${UPGRADE}\r\n`)).replace(/<[^]*$/, ""),
    );
    expect(answer.status).toBe(status);
    expect(answer.headers).toContain("connection: close");
    expect((await ask(server, "/healthz")).status).toBe(200);
  });

  test.each([
    ["another protocol", UPGRADE.replace("websocket", "h2c"), 426],
    ["no version", UPGRADE.replace("Sec-WebSocket-Version: 13\r\n", ""), 426],
    ["version 8, whose origin has another name", UPGRADE.replace("13", "8"), 426],
    ["no key", UPGRADE.replace("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", ""), 400],
    ["an invalid key", UPGRADE.replace("dGhl", "####"), 400],
    ["invalid subprotocols", `${UPGRADE}Sec-WebSocket-Protocol: a,,b\r\n`, 400],
  ])("%s is refused", async (_, upgrade, status) => {
    const answer = parseResponse(
      await raw(await anonymous(), `GET ${PATH} HTTP/1.1\r\nHost: localhost\r\n${upgrade}\r\n`),
    );
    expect(answer.status).toBe(status);
    expect(answer.json.error).toBe(status === 426 ? "Upgrade required." : "Invalid request.");
  });

  test("an upgrade of another route does not wait for a body", async () => {
    const request = `POST /api/validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n${UPGRADE}\r\n`;
    expect(parseResponse(await raw(await anonymous(), request)).status).toBe(400);
  });

  test("without an upgrade, the answer explains the handshake", async () => {
    const answer = await ask(await anonymous(), PATH);
    expect(answer.status).toBe(426);
    expect(answer.headers).toMatchObject({ upgrade: "websocket", "sec-websocket-version": "13" });
    expect(answer.json).toEqual({
      error: "Upgrade required.",
      details: "Accepted: a WebSocket handshake, version 13.",
    });
  });
});

describe("on loopback with a token", () => {
  test("metrics are open, and actions need the token", async () => {
    const client = await open(await start({ env }));
    client.send(subscribe);
    expect((await client.next()).type).toBe("subscribed");
    for (const token of [undefined, "wrong", `${TOKEN}x`, `x${TOKEN}`, " "]) {
      client.send({ ...stop, token, requestId: "1" });
      expect(await client.next("action-result")).toMatchObject({
        ok: false,
        error: "Unauthorized.",
        code: "UNAUTHORIZED",
        requestId: "1",
      });
    }
    client.send({ ...stop, token: TOKEN });
    expect((await client.next("action-result")).code).not.toBe("UNAUTHORIZED");
  });

  test.each<[string, ClientSettings]>([
    ["the header", header(TOKEN)],
    ["a subprotocol", { protocols: asProtocol(TOKEN) }],
  ])("%s carries the token for every action", async (_, settings) => {
    const client = await open(await start({ env }), settings);
    client.send(stop);
    expect((await client.next("action-result")).code).not.toBe("UNAUTHORIZED");
    client.send({ ...stop, token: "wrong" });
    expect((await client.next("action-result")).error).toBe("Unauthorized.");
  });

  test("a token with every visible character of ASCII works in each of these places", async () => {
    const token = VISIBLE_ASCII;
    const server = await start({ env: { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: token } });
    const clients = [
      await open(server, header(token)),
      await open(server, { protocols: asProtocol(token) }),
      await open(server),
    ];
    for (const [index, client] of clients.entries()) {
      client.send(index === 2 ? { ...stop, token } : stop);
      expect((await client.next("action-result")).code).not.toBe("UNAUTHORIZED");
    }
  });
});

test("only svcm.v1 is in the answer, never the token", async () => {
  const server = await start({ env });
  expect((await open(server, { protocols: asProtocol(TOKEN) })).socket.protocol).toBe("svcm.v1");
  const request = `GET ${PATH} HTTP/1.1\r\nHost: localhost\r\n${UPGRADE}Sec-WebSocket-Protocol: ${asProtocol(TOKEN)[1]}\r\n\r\n`;
  const { socket, head } = await firstBytes(server, request);
  expect(head).toMatch(/^HTTP\/1\.1 101 /);
  expect(head.toLowerCase()).not.toContain("sec-websocket-protocol");
  socket.destroy();
  expect(server.log.join("")).not.toContain(TOKEN);
});

describe("on an address that other machines can reach", () => {
  const openly = () => start({ host: "0.0.0.0", env });

  test.each<[string, ClientSettings]>([
    ["header", header("wrong")],
    ["header of another scheme", { headers: { authorization: `Basic ${TOKEN}` } }],
    ["subprotocol", { protocols: asProtocol("wrong") }],
    ["subprotocol that is empty", { protocols: ["svcm.v1", "svcm.bearer."] }],
    ["subprotocol beside a valid header", { ...header(TOKEN), protocols: asProtocol("wrong") }],
  ])("a wrong %s is answered with 401", async (_, settings) => {
    const { status, text, headers } = await openRefused(await openly(), settings);
    expect({ status, text }).toEqual({ status: 401, text: '{"error":"Unauthorized."}' });
    expect(headers["www-authenticate"]).toBe("Bearer");
  });

  test("a request without an upgrade also needs the token first", async () => {
    expect((await ask(await openly(), PATH)).status).toBe(401);
    expect((await ask(await openly(), PATH, { headers: { authorization: `Bearer ${TOKEN}` } })).status).toBe(426);
  });

  test("the first frame may carry the token; without it the channel sends no data", async () => {
    const telemetry = manualTelemetry();
    const client = await open(await start({ host: "0.0.0.0", env, world: withTelemetry(telemetry) }));
    for (const token of [undefined, "wrong"]) {
      client.send({ ...subscribe, token, environment: "qa", requestId: "s" });
      expect(await client.next()).toMatchObject({
        type: "error",
        code: "UNAUTHORIZED",
        error: "Unauthorized.",
        requestId: "s",
      });
    }
    client.send(stop);
    expect(await client.next("action-result")).toMatchObject({ ok: false, error: "Unauthorized." });
    expect(telemetry.watched).toEqual([]);
    client.send({ ...subscribe, token: TOKEN });
    expect((await client.next()).type).toBe("subscribed");
    await telemetry.watchers(1);
    telemetry.give(sample());
    expect((await client.next()).type).toBe("metrics");
    client.send(subscribe);
    expect((await client.next()).type).toBe("subscribed");
    client.send(stop);
    expect((await client.next("action-result")).code).not.toBe("UNAUTHORIZED");
  });

  test("a client that does not send the token in time is disconnected", async () => {
    const server = await start({ host: "0.0.0.0", env, limits: { authTimeoutMs: 50 } });
    const [silent, shown] = [await open(server), await open(server, header(TOKEN))];
    expect(await silent.closed).toEqual({ code: 1008, reason: "UNAUTHORIZED" });
    shown.send({ type: "ping" });
    expect((await shown.next()).type).toBe("pong");
  });

  test("the Host header is checked first", async () => {
    expect(
      (await openRefused(await openly(), { headers: { ...header(TOKEN).headers, host: "evil.example" } })).status,
    ).toBe(403);
  });
});

test("a socket above the limit gets 503, and closing another socket makes room", async () => {
  const server = await start({ limits: { maxSockets: 2 } });
  const [first] = [await open(server), await open(server)];
  const { status, json } = await openRefused(server);
  expect({ status, error: json.error }).toEqual({ status: 503, error: "Service busy." });
  first.socket.close();
  await first.closed;
  await open(server);
});

async function firstBytes(server: { port: number }, request: string) {
  const socket = connect(server.port, "127.0.0.1");
  socket.write(request);
  const [chunk] = (await once(socket, "data")) as [Buffer];
  return { socket, head: chunk.toString("latin1") };
}
