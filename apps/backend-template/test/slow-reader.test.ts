/** A client that does not read: what waits for it is bounded, it learns that it missed something, and others miss nothing. */
import { connect, type ClientHttp2Stream, type IncomingHttpHeaders } from "node:http2";
import { io } from "socket.io-client";
import { expect, onTestFinished, test } from "vitest";
import { startEntrypoint } from "./entrypoint.ts";
import { addressOf, watchItems, type Item } from "./grpc-client.ts";

const realtime = (protocol: string) => ({ SVC_REALTIME_API: "yes", SVC_REALTIME_API_PROTOCOL: protocol });
/** The longest that is accepted. */
const body = JSON.stringify({ name: "€".repeat(100) });

/** Adds items one after another; answers their ids. */
async function add(url: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const { id } = (await (await fetch(`${url}/items`, { method: "POST", body })).json()) as Item;
    ids.push(id);
  }
  return ids;
}

/** Watches over a separate HTTP/2 connection, and reads nothing. */
async function watchWithoutReading(address: string): Promise<Disposable & { stream: ClientHttp2Stream }> {
  const session = connect(`http://${address}`);
  const path = "/items.v1.Items/Watch";
  const type = "application/grpc";
  const stream = session.request({ ":method": "POST", ":path": path, "content-type": type, te: "trailers" });
  stream.end(Buffer.alloc(5)); // a message: not compressed, no byte long
  await new Promise((resolve) => stream.once("response", resolve));
  return { stream, [Symbol.dispose]: () => session.destroy() };
}

/** Reads on until the stream ends or `most` items have come. */
async function readOn(stream: ClientHttp2Stream, most: number) {
  let trailers: IncomingHttpHeaders = {};
  stream.once("trailers", (headers: IncomingHttpHeaders) => (trailers = headers));
  let bytes = Buffer.alloc(0);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes = Buffer.concat([bytes, chunk]);
    if (idsIn(bytes).length === most) break;
  }
  return { ids: idsIn(bytes), trailers };
}

/** Of whole messages: a byte, four of the length, then the item, whose first field is its id. */
function idsIn(bytes: Buffer): string[] {
  const ids: string[] = [];
  for (let at = 0; at + 5 <= bytes.length;) {
    const end = at + 5 + bytes.readUInt32BE(at + 1);
    if (end > bytes.length) break;
    ids.push(bytes.toString("utf8", at + 7, at + 7 + (bytes[at + 6] ?? 0)));
    at = end;
  }
  return ids;
}

test("gRPC: the watch ends with RESOURCE_EXHAUSTED after what waited, in order and without a gap", async () => {
  const count = 2000;
  await using backend = await startEntrypoint("grpc", realtime("grpc"));
  using reader = await watchItems(backend.output());
  using slow = await watchWithoutReading(addressOf(backend.output()));
  const added = await add(backend.url, count);
  for (const id of added) expect(await reader.next()).toMatchObject({ id });
  const { ids, trailers } = await readOn(slow.stream, count);
  expect(trailers).toMatchObject({ "grpc-status": "8", "grpc-message": expect.stringContaining("Watch%20again") });
  expect(ids).toEqual(added.slice(0, ids.length));
  // A thousand waited; what HTTP/2 had taken before is the window of the client: 64 KiB.
  expect(ids.length).toBeGreaterThanOrEqual(1000);
  expect(ids.length).toBeLessThan(1300);
});

test("WebSocket: the connection ends after what waited, in order and without a gap", async () => {
  const count = 3500;
  await using backend = await startEntrypoint("websocket", realtime("websocket"));
  const reader = io(backend.url, { transports: ["websocket"], forceNew: true, reconnection: false });
  onTestFinished(() => void reader.close());
  const heard: string[] = [];
  const heardAll = new Promise<void>((resolve) => {
    reader.on("item.created", ({ id }: Item) => heard.push(id) === count && resolve());
  });
  await new Promise<void>((resolve) => reader.once("connect", resolve));

  // With long polling nothing leaves the process without a request.
  const open = await (await fetch(`${backend.url}/socket.io/?EIO=4&transport=polling`)).text();
  const { sid } = JSON.parse(open.slice(1)) as { sid: string };
  const at = `${backend.url}/socket.io/?EIO=4&transport=polling&sid=${sid}`;
  await fetch(at, { method: "POST", body: "40" });
  expect(await (await fetch(at)).text()).toMatch(/^40/);

  const added = await add(backend.url, count);
  await heardAll;
  expect(heard).toEqual(added);
  const waited = await (await fetch(at)).text();
  expect(Buffer.byteLength(waited)).toBeLessThan(1.1 * 1024 * 1024);
  const ids = [...waited.matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id);
  expect(ids.length).toBeGreaterThan(1000);
  expect(ids).toEqual(added.slice(0, ids.length));
  const last = await (await fetch(at)).text();
  expect(last.split("\u001E").at(-1)).toBe("1"); // engine.io's packet that closes
});
