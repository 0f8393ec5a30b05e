/** A real browser, and an attacker's servers. */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { connect, createServer as createPlainServer, type AddressInfo, type Socket } from "node:net";
import { chromium, type Browser } from "playwright-core";
import { beforeAll, onTestFinished } from "vitest";
import { chromiumArguments, findChromium } from "../support/chromium.ts";

const program = await findChromium();

export const hasBrowser = program !== undefined;

/** One browser for all files of a worker, because a launch takes longer than most tests. It ends with the worker. */
let launched: Browser | undefined;

/** In this browser, `evil.example` and `ops.example.com` resolve to this machine. */
export function useBrowser(): () => Browser {
  beforeAll(async () => {
    if (program === undefined || launched?.isConnected()) return;
    const args = [
      ...chromiumArguments,
      "--host-resolver-rules=MAP evil.example 127.0.0.1, MAP ops.example.com 127.0.0.1",
    ];
    launched = await chromium.launch({ ...program, args });
  });
  return () => {
    if (launched === undefined) throw new Error("There is no browser.");
    return launched;
  };
}

export interface Attacker {
  readonly port: number;
  readonly seen: string[];
  arrived(pattern: RegExp): Promise<void>;
}

/** A server without protection, for comparison: it accepts every request, every origin and every WebSocket. */
export async function attackerServer(page = "<!doctype html><title>attack</title>"): Promise<Attacker> {
  const seen: string[] = [];
  const waiting = new Set<() => void>();
  const record = ({ method, url, headers }: IncomingMessage): void => {
    seen.push(`${method} ${url} ${headers["content-type"] ?? ""}`.trim());
    for (const look of waiting) look();
  };
  const server = createServer((request, response) => {
    record(request);
    request.resume();
    const type = request.url === "/script" ? "text/javascript" : "text/html";
    response.writeHead(200, { "content-type": type, "access-control-allow-origin": "*" });
    response.end(request.url === "/" ? page : request.url === "/script" ? "" : "readable");
  });
  server.on("upgrade", (request: IncomingMessage, socket) => {
    record(request);
    const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash("sha1").update(key).digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const arrived = (pattern: RegExp): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (seen.some((line) => pattern.test(line))) resolve(void waiting.delete(look));
      };
      waiting.add(look);
      look();
    });
  return { port: (server.address() as AddressInfo).port, seen, arrived };
}

export interface Switchboard {
  readonly port: number;
  /** Redirects new connections to that port and closes existing ones. */
  pointTo(port: number): void;
}

/** One address that leads to different servers over time, as in DNS rebinding. */
export async function switchboard(): Promise<Switchboard> {
  const open = new Set<Socket>();
  const cutAll = (): void => open.forEach((socket) => void socket.destroy());
  let target = 0;
  const server = createPlainServer((incoming) => {
    const outgoing = connect(target, "127.0.0.1");
    for (const [socket, other] of [[incoming, outgoing] as const, [outgoing, incoming] as const]) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    cutAll();
  });
  return {
    port: (server.address() as AddressInfo).port,
    pointTo(port) {
      target = port;
      cutAll();
    },
  };
}
