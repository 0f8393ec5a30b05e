import { connect, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Ports } from "../../src/core/index.ts";
import { ask, ENV, JSON_TYPE, rawConnection, testServer, type TestServer } from "./support.ts";
import { manualTelemetry, withTelemetry } from "./socket/hand-telemetry.ts";
import { open } from "./socket/support.ts";

/** Only a shortage of connections ends one before the test times out. */
const never = { headersTimeoutMs: 300_000, requestTimeoutMs: 300_000, keepAliveTimeoutMs: 300_000 };
const HEADERS = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ";
const BODY = `POST ${ENV} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${JSON_TYPE["content-type"]}\r\nContent-Length: 99\r\n\r\n{`;

interface Slow {
  readonly closed: Promise<void>;
  readonly isOpen: () => boolean;
}

/** A connection from an address of this machine with a request that is never completed. */
async function slow({ port }: TestServer, bytes: string, localAddress = "127.0.0.2"): Promise<Slow> {
  const socket: Socket = connect({ port, host: "127.0.0.1", localAddress });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  await new Promise((resolve) => socket.once("connect", resolve));
  await new Promise((resolve) => socket.write(bytes, resolve));
  return { closed, isOpen: () => !socket.destroyed };
}

describe("a connection above the limit replaces", () => {
  test.each([
    ["silent", ""],
    ["slow headers", HEADERS],
    ["slow bodies", BODY],
  ])("the oldest connection with %s, also if it is from the same address", async (_, bytes) => {
    const server = await testServer({ limits: { maxConnections: 4, ...never } });
    const connections: Slow[] = [];
    for (let count = 0; count < 4; count += 1) connections.push(await slow(server, bytes, "127.0.0.1"));
    expect((await ask(server, "/healthz")).status).toBe(200);
    await connections[0]?.closed;
    expect(connections.map(({ isOpen }) => isOpen())).toEqual([false, true, true, true]);
  });

  test("a connection of the address that has the most connections", async () => {
    const server = await testServer({ limits: { maxConnections: 4, ...never } });
    const oldest = await slow(server, HEADERS, "127.0.0.3");
    const many: Slow[] = [];
    for (let count = 0; count < 300; count += 1) many.push(await slow(server, HEADERS));
    expect((await ask(server, "/healthz")).status).toBe(200);
    await Promise.all(many.slice(0, 297).map(({ closed }) => closed));
    expect(oldest.isOpen()).toBe(true);
  });

  test("never a connection in use: one with a pending request, or a WebSocket", async () => {
    let release!: () => void;
    let arrive!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    const telemetry = withTelemetry(manualTelemetry());
    const world = (ports: Ports): Ports => {
      const read = async (path: string): Promise<Uint8Array> => {
        arrive();
        await released;
        return await ports.files.read(path);
      };
      return telemetry({ ...ports, files: { ...ports.files, read } });
    };
    const server = await testServer({ world, limits: { maxConnections: 2, ...never } });
    const client = await open(server);
    const answered = ask(server, ENV);
    await arrived;
    expect(await rawConnection(server).ended).toBe("");
    client.send({ type: "ping" });
    expect(await client.next()).toEqual({ type: "pong" });
    release();
    expect((await answered).status).toBe(200);
  });
});
