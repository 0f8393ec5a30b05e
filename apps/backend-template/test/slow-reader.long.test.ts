import { io } from "socket.io-client";
import { expect, onTestFinished, test } from "vitest";
import { startEntrypoint } from "./entrypoint.ts";
import type { Item } from "./grpc-client.ts";
import { add, realtime } from "./many-items.ts";

test("WebSocket: the connection ends after the buffered items, in order and without a gap", async () => {
  const count = 3500;
  await using backend = await startEntrypoint("websocket", realtime("websocket"));
  const reader = io(backend.url, { transports: ["websocket"], forceNew: true, reconnection: false });
  onTestFinished(() => void reader.close());
  const received: string[] = [];
  const receivedAll = new Promise<void>((resolve) => {
    reader.on("item.created", ({ id }: Item) => received.push(id) === count && resolve());
  });
  await new Promise<void>((resolve) => reader.once("connect", resolve));

  // With long polling, the server sends nothing without a request.
  const open = await (await fetch(`${backend.url}/socket.io/?EIO=4&transport=polling`)).text();
  const { sid } = JSON.parse(open.slice(1)) as { sid: string };
  const at = `${backend.url}/socket.io/?EIO=4&transport=polling&sid=${sid}`;
  await fetch(at, { method: "POST", body: "40" });
  expect(await (await fetch(at)).text()).toMatch(/^40/);

  const added = await add(backend.url, count);
  await receivedAll;
  expect(received).toEqual(added);
  const waited = await (await fetch(at)).text();
  expect(Buffer.byteLength(waited)).toBeLessThan(1.1 * 1024 * 1024);
  const ids = [...waited.matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id);
  expect(ids.length).toBeGreaterThan(1000);
  expect(ids).toEqual(added.slice(0, ids.length));
  const last = await (await fetch(at)).text();
  expect(last.split("\u001E").at(-1)).toBe("1"); // engine.io's packet that closes
});
