import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "socket.io";
import { io, type Socket } from "socket.io-client";
import { describe, expect, onTestFinished, test } from "vitest";
import { announceSessions } from "../src/interface/WebSocket/cluster.ts";
import { runToEnd, startEntrypoint } from "./entrypoint.ts";
import { hasRedis, startRedis } from "./servers.ts";
import { firstOrAll, longTest } from "../../../test/support/runs.ts";

const realtime = { SVC_REALTIME_API: "yes", SVC_REALTIME_API_PROTOCOL: "websocket" };

async function connected(
  url: string,
  transport: "websocket" | "polling",
  extraHeaders: Record<string, string> = {},
): Promise<Socket> {
  const socket = io(url, { transports: [transport], forceNew: true, reconnection: false, extraHeaders });
  onTestFinished(() => void socket.close());
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("connect_error", reject);
  });
  return socket;
}

/** Connects clients to each of `urls`, adds an item at the first, and expects each client to receive it once. */
async function expectBroadcast(urls: readonly string[], transport: "websocket" | "polling", clients: number) {
  const sockets = await Promise.all(
    Array.from({ length: clients }, (_, index) => connected(urls[index % urls.length] ?? "", transport)),
  );
  const received = sockets.map(
    (socket) => new Promise<unknown>((resolve) => socket.once("item.created", (item: unknown) => resolve(item))),
  );
  const body = JSON.stringify({ name: "told" });
  const added: unknown = await (await fetch(`${urls[0]}/items`, { method: "POST", body })).json();
  expect(added).toMatchObject({ name: "told" });
  expect(await Promise.all(received)).toEqual(received.map(() => added));
  for (const socket of sockets) socket.close();
}

describe.each(firstOrAll(["polling", "websocket"]))("over %s", (transport) => {
  test("the memory adapter", async () => {
    await using backend = await startEntrypoint("websocket", realtime);
    await expectBroadcast([backend.url], transport, 4);
    const socket = await connected(backend.url, transport);
    expect(await socket.emitWithAck("items.list")).toMatchObject({ items: [{ name: "told" }] });
    expect(await (await fetch(`${backend.url}/health`)).json()).toMatchObject({ entrypoint: "websocket" });
  });

  longTest("the cluster adapter, over three workers", async () => {
    await using backend = await startEntrypoint("websocket", {
      ...realtime,
      SVC_WEBSOCKET_SOCKETIO_ADAPTER: "cluster",
      SVC_WEBSOCKET_CLUSTER_WORKERS: "3",
    });
    await expectBroadcast([backend.url], transport, 9);
  });

  longTest.skipIf(!hasRedis)(
    "the redis-streams adapter, with processes of two hosts (needs redis-server)",
    async () => {
      await using redis = await startRedis();
      const env = {
        ...realtime,
        SVC_WEBSOCKET_SOCKETIO_ADAPTER: "redis-streams",
        SVC_WEBSOCKET_REDIS_URL: `redis://127.0.0.1:${redis.port}`,
      };
      await using first = await startEntrypoint("websocket", env);
      await using second = await startEntrypoint("websocket", env);
      await expectBroadcast([first.url, second.url], transport, 6);
    },
  );
});

test("a worker announces a session to the primary before the client learns its id", async () => {
  const http = createServer((_, response) => response.end());
  const server = new Server(http);
  onTestFinished(() => server.close());
  const order: string[] = [];
  let arrive: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  let release: () => void = () => undefined;
  announceSessions(server, (message) => {
    expect(message).toMatchObject({ type: "sticky:connection" });
    arrive();
    return new Promise((resolve) => (release = resolve));
  });
  await new Promise<void>((resolve) => void http.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const handshake = fetch(`${url}/socket.io/?EIO=4&transport=polling`).then(() => order.push("client"));
  await arrived;
  // After a complete exchange with the same server, an id that was sent without waiting would have arrived.
  await (await fetch(url)).text();
  order.push("primary");
  release();
  await handshake;
  expect(order).toEqual(["primary", "client"]);
});

longTest.skipIf(!hasRedis)(
  "redis-streams with SVC_REDIS_URL survives a restart of Redis (needs redis-server)",
  async () => {
    await using redis = await startRedis();
    const env = {
      ...realtime,
      SVC_WEBSOCKET_SOCKETIO_ADAPTER: "redis-streams",
      SVC_REDIS_URL: `redis://127.0.0.1:${redis.port}`,
    };
    await using first = await startEntrypoint("websocket", env);
    await using second = await startEntrypoint("websocket", env);
    await expectBroadcast([first.url, second.url], "websocket", 2);
    const listener = await connected(second.url, "websocket");
    const received: unknown[] = [];
    listener.on("item.created", (item: unknown) => received.push(item));
    await redis.restart();
    // Items sent while the connections heal are lost; a later one arrives.
    while (received.length === 0) await fetch(`${first.url}/items`, { method: "POST", body: '{"name":"again"}' });
    expect(received[0]).toMatchObject({ name: "again" });
  },
);

longTest(
  "a page of another origin may not connect; a page of an allowed origin or of the server itself may",
  async () => {
    const origin = "https://console.example.com";
    await using backend = await startEntrypoint("websocket", { ...realtime, SVC_CORS_ALLOWED_ORIGINS: origin });
    for (const transport of ["websocket", "polling"] as const) {
      for (const allowed of [origin, backend.url]) await connected(backend.url, transport, { origin: allowed });
      await expect(connected(backend.url, transport, { origin: "https://example.com" })).rejects.toThrow(/error/);
    }
    const handshake = await fetch(`${backend.url}/socket.io/?EIO=4&transport=polling`, { headers: { origin } });
    expect(handshake.headers.get("access-control-allow-origin")).toBe(origin);
  },
);

longTest("SVC_WEBSOCKET_CLUSTER_WORKERS sets the number of workers, and a worker that dies is replaced", async () => {
  await using backend = await startEntrypoint("websocket", {
    ...realtime,
    SVC_WEBSOCKET_SOCKETIO_ADAPTER: "cluster",
    SVC_WEBSOCKET_CLUSTER_WORKERS: "2",
  });
  expect(backend.output()).toContain("2 workers");
  const workers = (output: string) => [...output.matchAll(/WebSocket worker (\d+)/g)].map(([, pid]) => Number(pid));
  const [first = 0, ...others] = workers(backend.output());
  expect(others).toHaveLength(1);
  process.kill(first, "SIGKILL");
  await backend.printed((output) => workers(output).length === 3);
  await expectBroadcast([backend.url], "websocket", 4);
});

longTest("the process ends properly and closes its sockets and workers", async () => {
  for (const adapter of [{}, { SVC_WEBSOCKET_SOCKETIO_ADAPTER: "cluster", SVC_WEBSOCKET_CLUSTER_WORKERS: "2" }]) {
    await using backend = await startEntrypoint("websocket", { ...realtime, ...adapter });
    const socket = await connected(backend.url, "websocket");
    const disconnected = new Promise((resolve) => socket.once("disconnect", resolve));
    backend.signal("SIGINT");
    await disconnected;
    expect(await backend.ended).toMatchObject({ code: 0, signal: null });
  }
});

longTest("the start fails fast if Redis is missing or the workers cannot start", async () => {
  const away = await runToEnd("websocket", {
    ...realtime,
    SVC_WEBSOCKET_SOCKETIO_ADAPTER: "redis-streams",
    SVC_WEBSOCKET_REDIS_URL: "redis://127.0.0.1:1",
  });
  expect(away).toMatchObject({ code: 1, stdout: "" });
  expect(away.stderr).toContain("redis-streams: Redis at 127.0.0.1:1 cannot be reached (ECONNREFUSED)");
  const workers = await runToEnd("websocket", {
    ...realtime,
    SVC_WEBSOCKET_SOCKETIO_ADAPTER: "cluster",
    SVC_WEBSOCKET_CLUSTER_WORKERS: "2",
    SVC_DATABASE_DRIVER: "PostgreSQL",
  });
  expect(workers.code).toBe(1);
  expect(workers.stderr).toContain("A worker of the cluster ended at its start");
});
