import { once } from "node:events";
import { request } from "node:http";
import { brotliDecompressSync, gunzipSync, inflateRawSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { encodingFor } from "../../src/server/response.ts";
import { SharedMessage } from "../../src/server/socket/peer.ts";
import { ask, ENV, testServer, type TestServer } from "./support.ts";
import { manualTelemetry, sample, withTelemetry } from "./socket/hand-telemetry.ts";

interface Bytes {
  readonly headers: Record<string, unknown>;
  readonly bytes: Buffer;
}

function bytesOf({ port }: TestServer, path: string, accepted: string, method = "GET"): Promise<Bytes> {
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port,
      path,
      method,
      agent: false as const,
      headers: { "accept-encoding": accepted },
    };
    const outgoing = request(options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.once("end", () => resolve({ headers: answer.headers, bytes: Buffer.concat(chunks) }));
    });
    outgoing.once("error", reject);
    outgoing.end();
  });
}

const decoders = { br: brotliDecompressSync, gzip: gunzipSync };

test.each([
  [undefined, undefined],
  ["", undefined],
  ["identity", undefined],
  ["deflate, zstd", undefined],
  ["gzip", "gzip"],
  ["gzip, deflate, br, zstd", "br"],
  ["GZIP ; q=0.5", "gzip"],
  ["br;q=0.4, gzip;q=0.8", "gzip"],
  ["br;q=0, gzip;q=0", undefined],
  ["*", "br"],
  ["br;q=0, *", "gzip"],
  ["br;q=x, gzip", "gzip"],
])("Accept-Encoding: %s gets %s", (accepted, encoding) => expect(encodingFor(accepted)).toBe(encoding));

describe.each(["br", "gzip"] as const)("%s", (encoding) => {
  test("answers above 1 KiB have the same text in fewer bytes", async () => {
    const server = await testServer();
    for (const path of [ENV, "/api/runtime/contract", "/api/openapi.json", "/metrics"]) {
      const { headers, bytes } = await bytesOf(server, path, encoding);
      const plain = await ask(server, path);
      expect([path, headers["content-encoding"], headers["vary"]]).toEqual([path, encoding, "accept-encoding"]);
      expect(plain.headers).toMatchObject({ vary: "accept-encoding" });
      expect(plain.headers).not.toHaveProperty("content-encoding");
      expect(headers["content-length"]).toBe(String(bytes.length));
      expect(bytes.length).toBeLessThan(plain.text.length * 0.7);
      if (path !== "/metrics") expect(decoders[encoding](bytes).toString()).toBe(plain.text);
      expect((await bytesOf(server, path, encoding, "HEAD")).headers["content-encoding"]).toBe(encoding);
    }
  });

  test("short answers and refusals are not compressed", async () => {
    const server = await testServer();
    for (const path of ["/healthz", "/api/nothing"]) {
      expect((await bytesOf(server, path, encoding)).headers).not.toHaveProperty("content-encoding");
    }
  });

  test("files of the console are sent in the compressed form of the build", async () => {
    const server = await testServer();
    const { text } = await ask(server, "/");
    const files = [...text.matchAll(/"(assets\/[^"]+\.(?:js|css))"/g)].map(([, file]) => `/${file}`);
    expect(files).toHaveLength(3);
    for (const file of files) {
      const { headers, bytes } = await bytesOf(server, file, encoding);
      const plain = await ask(server, file);
      expect(headers["vary"]).toBe("accept-encoding");
      if (plain.text.length < 1024) expect(headers).not.toHaveProperty("content-encoding");
      else expect(decoders[encoding](bytes).toString()).toBe(plain.text);
      expect((await ask(server, `${file}.br`)).status).toBe(404);
    }
  });
});

describe("frames", () => {
  async function subscribed(perMessageDeflate: boolean | object) {
    const telemetry = manualTelemetry();
    const server = await testServer({ world: withTelemetry(telemetry) });
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/api/runtime/pm2-ws`, { perMessageDeflate });
    onTestFinished(() => socket.terminate());
    const frames: string[] = [];
    socket.on("message", (data: Buffer) => frames.push(data.toString()));
    const upgraded = once(socket, "upgrade");
    await once(socket, "open");
    const [{ socket: connection }] = (await upgraded) as [{ socket: NodeJS.EventEmitter }];
    let received = 0;
    connection.prependListener("data", (chunk: Buffer) => (received += chunk.length));
    socket.send('{"type":"subscribe"}');
    await once(socket, "message");
    await telemetry.watchers(1);
    received = 0;
    for (const count of [1, 2]) {
      telemetry.give(sample(count));
      await once(socket, "message");
    }
    return { socket, texts: frames.slice(1), received };
  }

  test("frames above 1 KiB are compressed for clients that offer it, in the same order", async () => {
    const [plain, compressed] = [await subscribed(false), await subscribed(true)];
    expect([plain.socket.extensions, compressed.socket.extensions]).toEqual(["", "permessage-deflate"]);
    expect(plain.texts.join("").length).toBeGreaterThan(2048);
    expect(compressed.texts).toEqual(plain.texts);
    expect(compressed.received).toBeLessThan(plain.received * 0.6);
  });

  test("frames are not compressed for a client with a smaller window", async () => {
    const { socket, texts } = await subscribed({ serverMaxWindowBits: 9 });
    expect(socket.extensions).toBe("");
    expect(texts).toHaveLength(2);
  });

  test.each([0, 125, 126, 65_535, 65_536, 300_000])("a compressed payload of about %i bytes has its length", (size) => {
    const text = Array.from({ length: size }, (_, at) =>
      String.fromCodePoint(33 + ((at * 7919 * (at % 97)) % 90)),
    ).join("");
    const { compressed } = new SharedMessage(text);
    const second = compressed[1] ?? 0;
    const [start, length] =
      second < 126
        ? [2, second]
        : second === 126
          ? [4, compressed.readUInt16BE(2)]
          : [10, Number(compressed.readBigUInt64BE(2))];
    expect([compressed[0], compressed.length]).toEqual([0xc1, start + length]);
    const tail = Buffer.from([0, 0, 255, 255]);
    const inflated = inflateRawSync(Buffer.concat([compressed.subarray(start), tail]), { finishFlush: 2 });
    expect(inflated.toString()).toBe(text);
  });

  test("frames are compressed once for all clients", () => {
    const message = new SharedMessage("x".repeat(2000));
    expect(message.compressed).toBe(message.compressed);
  });
});
