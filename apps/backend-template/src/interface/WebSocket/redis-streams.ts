import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Namespace, Server } from "socket.io";
import { connectRedis } from "../../process/connect-redis.ts";
import { withPackages } from "../../process/required-package.ts";

const SETTING = "SVC_WEBSOCKET_SOCKETIO_ADAPTER=redis-streams";
const PACKAGES = ["@socket.io/redis-streams-adapter", "redis"];
const STREAM = "socket.io";
/** Longer blocking reads would delay the shutdown. */
const BLOCK_MS = 500;
const PROBE_MS = 50;

/** The library's types omit this part of its adapter. */
interface StreamReader {
  onRawMessage(message: Readonly<Record<string, string>>, offset: string): void;
}

/**
 * Resolves when messages of the other hosts arrive. Before its first message, the library loses entries between two
 * reads. Therefore this adds entries that other hosts ignore until one of them arrives.
 *
 * @returns a function that closes the connection
 * @throws {Error} if Redis cannot be reached
 */
export async function useRedisStreams(io: Server, url: string): Promise<() => void> {
  const { createAdapter } = await withPackages(SETTING, PACKAGES, () => import("@socket.io/redis-streams-adapter"));
  const client = await connectRedis(SETTING, url);
  const create = createAdapter(client, { streamName: STREAM, blockTimeInMs: BLOCK_MS });
  const uid = randomUUID();
  const received = new AbortController();
  // A function, because socket.io calls it with `new`.
  io.adapter(function adapterOf(namespace: Namespace) {
    const adapter = create(namespace);
    const reader = adapter as unknown as StreamReader;
    const read = reader.onRawMessage.bind(reader);
    reader.onRawMessage = (message, offset) => (message["uid"] === uid ? received.abort() : read(message, offset));
    return adapter;
  });
  while (!received.signal.aborted) {
    await client.xAdd(STREAM, "*", { nsp: "/", uid, type: "0" });
    await pause(PROBE_MS, undefined, { signal: received.signal }).catch(() => undefined);
  }
  return () => client.destroy();
}
