/** A WebSocket client for tests, which keeps every frame and returns one after the other. */
import { EventEmitter, once } from "node:events";
import { WebSocket, type ClientOptions } from "ws";
import { onTestFinished } from "vitest";
import { SOCKET_PATH } from "../../../src/core/api/channel.ts";
import { serverFrames } from "../../../src/core/api/frames.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- what a test expects of a frame says what it is
type Frame = any;

export interface Client {
  readonly socket: WebSocket;
  readonly texts: string[];
  send(frame: unknown): void;
  /** The next frame, or the next one of the given type; others are skipped. */
  next(type?: string): Promise<Frame>;
  /** The close code and reason, when the socket is closed. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

export interface ClientSettings extends ClientOptions {
  readonly protocols?: string[];
  readonly path?: string;
}

/** Opens a socket. @throws if the upgrade is refused */
export async function open(server: { readonly port: number }, settings: ClientSettings = {}): Promise<Client> {
  const { protocols = [], path = SOCKET_PATH, ...options } = settings;
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}${path}`, protocols, options);
  const texts: string[] = [];
  const arrived = new EventEmitter();
  socket.on("message", (data: Buffer) => {
    texts.push(data.toString());
    arrived.emit("frame");
  });
  const closed = once(socket, "close").then(([code, reason]) => ({ code: Number(code), reason: String(reason) }));
  onTestFinished(() => socket.terminate());
  await once(socket, "open");
  socket.on("error", () => undefined);
  let read = 0;
  return {
    socket,
    texts,
    closed,
    send: (frame) => socket.send(typeof frame === "string" ? frame : JSON.stringify(frame)),
    async next(type) {
      for (;;) {
        for (; read < texts.length;) {
          const frame: Frame = parseFrame(texts[read++] ?? "");
          if (type === undefined || frame.type === type) return frame;
        }
        if (socket.readyState === WebSocket.CLOSED) throw new Error(`closed before a frame came: ${type ?? "any"}`);
        await Promise.race([once(arrived, "frame"), closed]);
      }
    },
  };
}

/** Checks every frame against the schemas. */
function parseFrame(text: string): Frame {
  const frame: Frame = JSON.parse(text);
  const schema = serverFrames[frame.type as keyof typeof serverFrames];
  if (schema === undefined) throw new Error(`no such frame: ${text}`);
  return schema.parse(frame);
}

/** The status and the body of a refused upgrade. */
export async function openRefused(
  server: { readonly port: number },
  settings: ClientSettings = {},
): Promise<{ status: number; headers: Record<string, unknown>; text: string; json: Frame }> {
  const { protocols = [], path = SOCKET_PATH, ...options } = settings;
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}${path}`, protocols, options);
  const [request, response] = await Promise.race([
    once(socket, "unexpected-response"),
    once(socket, "open").then(() => Promise.reject(new Error("the upgrade was not refused"))),
  ]);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  request.destroy();
  const text = Buffer.concat(chunks).toString();
  return { status: response.statusCode, headers: response.headers, text, json: JSON.parse(text) };
}
