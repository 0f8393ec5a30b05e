/** Slow readers, silent clients and the shutdown of the server, over real sockets. The test provides the samples. */
import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { onTestFinished, describe, expect, test } from "vitest";
import { SOCKET_PATH } from "../../../src/core/api/channel.ts";
import { testServer, type ServerOptions } from "../support.ts";
import { manualTelemetry, sample, withTelemetry } from "./hand-telemetry.ts";
import { open } from "./support.ts";
import { longTest } from "../../support/runs.ts";

/** Small samples would all fit into the buffers of the kernel. */
const SAMPLE_BYTES = 4096;
const MAX_UNREAD = 16;

async function start(options: ServerOptions = {}) {
  const telemetry = manualTelemetry();
  return { telemetry, server: await testServer({ world: withTelemetry(telemetry), ...options }) };
}

/** A text frame as a client sends it, masked with zeros. */
function clientFrame(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x81, 0x80 | bytes.length, 0, 0, 0, 0]), bytes]);
}

/** A client that subscribes, and then does not read, answer a ping or close. */
async function deafClient({ port }: { port: number }): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  socket.write(
    `GET ${SOCKET_PATH} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  );
  await once(socket, "data");
  socket.pause();
  socket.write(clientFrame('{"type":"subscribe","intervalMs":500}'));
  return socket;
}

/** Resolves when the other side has closed the connection, with or without a reset. */
async function gone(socket: Socket): Promise<void> {
  socket.resume();
  if (!socket.destroyed) await new Promise((resolve) => socket.once("close", resolve));
}

test("a sample is serialised once for all subscribers", async () => {
  const { telemetry, server } = await start();
  const clients = [await open(server), await open(server), await open(server)];
  for (const client of clients) client.send({ type: "subscribe" });
  await telemetry.watchers(clients.length);
  let serialised = 0;
  const counted = sample(1);
  Object.defineProperty(counted.payload, "collectedAt", {
    enumerable: true,
    get: () => (serialised++, "2026-01-01T00:00:00.000Z"),
  });
  telemetry.give(counted);
  for (const client of clients) await client.next("metrics");
  expect(serialised).toBe(1);
});

describe("a client that does not read", () => {
  test("receives the newest sample when it reads again, and no samples were queued for it", async () => {
    const { telemetry, server } = await start();
    const [slow, quick] = [await open(server), await open(server)];
    for (const client of [slow, quick]) {
      client.send({ type: "subscribe" });
      await client.next("subscribed");
    }
    await telemetry.watchers(2);
    slow.socket.pause();
    const count = 100;
    for (let at = 1; at <= count; at++) {
      telemetry.give(sample(at, SAMPLE_BYTES));
      await quick.next("metrics");
    }
    slow.socket.resume();
    // The first answer follows all earlier messages, the second one follows the pong to it.
    for (const _ of ["read", "confirmed"]) {
      slow.send({ type: "ping" });
      await slow.next("pong");
    }
    telemetry.give(sample(count + 1));
    expect((await slow.next("metrics")).payload).toEqual(sample(count + 1).payload);
    const got = slow.texts.filter((text) => text.startsWith('{"type":"metrics"'));
    expect(got).toHaveLength(MAX_UNREAD + 1);
  });

  test("and does not answer a ping is disconnected, and its sampling ends", async () => {
    const { telemetry, server } = await start({ limits: { heartbeatMs: 20, pongTimeoutMs: 1000 } });
    const [deaf, alive] = [await deafClient(server), await open(server)];
    await telemetry.watchers(1);
    await telemetry.watchers(0);
    await gone(deaf);
    alive.send({ type: "ping" });
    expect((await alive.next()).type).toBe("pong");
  });

  longTest("and sends requests without reading the answers is disconnected", async () => {
    const limits = { frameRate: { perSecond: 1e9, burst: 1e9 }, maxUnsentBytes: 64 * 1024 };
    const { server } = await start({ limits });
    const deaf = await deafClient(server);
    const pings = Buffer.concat(Array.from({ length: 4000 }, () => clientFrame('{"type":"ping"}')));
    const write = (): void => {
      while (!deaf.destroyed && deaf.write(pings));
    };
    deaf.on("drain", write);
    write();
    await new Promise((resolve) => deaf.once("close", resolve));
    expect(server.log.join("")).not.toContain("failed");
  });
});

describe("the shutdown of the server", () => {
  test("closes every socket with 1001", async () => {
    const { telemetry, server } = await start();
    const clients = [await open(server), await open(server)];
    clients[0]?.send({ type: "subscribe" });
    await telemetry.watchers(1);
    await server.close();
    for (const client of clients) {
      expect(await client.closed).toEqual({ code: 1001, reason: "Service Management is closing." });
    }
    expect(telemetry.watched).toEqual([]);
  });

  longTest("does not wait for a socket that does not answer the close", async () => {
    const { telemetry, server } = await start();
    const deaf = await deafClient(server);
    await telemetry.watchers(1);
    await server.close();
    await gone(deaf);
    expect(telemetry.watched).toEqual([]);
  });
});

test("the stream of a client ends when the client disconnects", async () => {
  const { telemetry, server } = await start();
  expect.assertions(2);
  for (const leave of ["close", "terminate"] as const) {
    const client = await open(server);
    client.send({ type: "subscribe" });
    await telemetry.watchers(1);
    client.socket[leave]();
    await telemetry.watchers(0);
    expect(telemetry.watched).toEqual([]);
  }
});
