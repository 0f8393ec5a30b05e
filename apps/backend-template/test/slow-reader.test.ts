/** A client that does not read: its buffer is limited, it learns that it missed items, and other clients miss none. */
import { connect, type ClientHttp2Stream, type IncomingHttpHeaders } from "node:http2";
import { expect } from "vitest";
import { longTest } from "../../../test/support/runs.ts";
import { startEntrypoint } from "./entrypoint.ts";
import { addressOf, watchItems } from "./grpc-client.ts";
import { add, realtime } from "./many-items.ts";

/** Watches over a separate HTTP/2 connection and does not read. */
async function watchWithoutReading(address: string): Promise<Disposable & { stream: ClientHttp2Stream }> {
  const session = connect(`http://${address}`);
  const path = "/items.v1.Items/Watch";
  const type = "application/grpc";
  const stream = session.request({ ":method": "POST", ":path": path, "content-type": type, te: "trailers" });
  stream.end(Buffer.alloc(5)); // a message: not compressed, no byte long
  await new Promise((resolve) => stream.once("response", resolve));
  return { stream, [Symbol.dispose]: () => session.destroy() };
}

async function readUntil(stream: ClientHttp2Stream, max: number) {
  let trailers: IncomingHttpHeaders = {};
  stream.once("trailers", (headers: IncomingHttpHeaders) => (trailers = headers));
  let bytes = Buffer.alloc(0);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes = Buffer.concat([bytes, chunk]);
    if (parseIds(bytes).length === max) break;
  }
  return { ids: parseIds(bytes), trailers };
}

/** A message is one byte, four bytes of length and the item, whose first field is its id. */
function parseIds(bytes: Buffer): string[] {
  const ids: string[] = [];
  for (let offset = 0; offset + 5 <= bytes.length;) {
    const end = offset + 5 + bytes.readUInt32BE(offset + 1);
    if (end > bytes.length) break;
    ids.push(bytes.toString("utf8", offset + 7, offset + 7 + (bytes[offset + 6] ?? 0)));
    offset = end;
  }
  return ids;
}

longTest(
  "gRPC: the watch ends with RESOURCE_EXHAUSTED after the buffered items, in order and without a gap",
  async () => {
    const count = 2000;
    await using backend = await startEntrypoint("grpc", realtime("grpc"));
    using reader = await watchItems(backend.output());
    using slow = await watchWithoutReading(addressOf(backend.output()));
    const added = await add(backend.url, count);
    for (const id of added) expect(await reader.next()).toMatchObject({ id });
    const { ids, trailers } = await readUntil(slow.stream, count);
    expect(trailers).toMatchObject({ "grpc-status": "8", "grpc-message": expect.stringContaining("Watch%20again") });
    expect(ids).toEqual(added.slice(0, ids.length));
    // A thousand items were buffered. HTTP/2 had already sent the 64 KiB of the client's window.
    expect(ids.length).toBeGreaterThanOrEqual(1000);
    expect(ids.length).toBeLessThan(1300);
  },
);
