import { STATUS_CODES, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { SvcmError } from "../core/index.ts";
import { networkOf, peerAddress } from "./host.ts";
import type { Limits } from "./limits.ts";
import type { ServerLog } from "./log.ts";
import { failureResponse, type FailureResponse } from "./response.ts";

export interface Connections {
  /** While true, nothing else may be written: a response is on its way, or came before the end of the request. */
  isResponding(socket: Socket): boolean;
  /** Refuses new connections, closes idle ones, and closes the others after their response. */
  windDown(): void;
}

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** A complete request keeps its connection for this time if connections are scarce. */
  readonly requestTimeoutMs: number;
}

interface Connection {
  readonly address: string;
  /** Undefined before the first request. Node treats such a connection as busy. */
  response?: ServerResponse;
  requestedAt: number;
  isUpgraded: boolean;
}

/**
 * Limits the number of connections. If the limit is reached, a new connection replaces the oldest unused one of the
 * address with the most connections. So an address that opens hundreds shuts out only itself.
 */
export function watchConnections(server: Server, limits: ConnectionLimits): Connections {
  const connections = new Map<Socket, Connection>();
  let isWindingDown = false;
  server.on("connection", (socket: Socket) => {
    if (isWindingDown || (connections.size >= limits.maxConnections && !evictConnection(connections, limits))) {
      socket.destroy();
      return;
    }
    const address = networkOf(peerAddress(socket.remoteAddress));
    connections.set(socket, { address, requestedAt: 0, isUpgraded: false });
    socket.once("close", () => connections.delete(socket));
  });
  server.prependListener("request", ({ socket }, response) => {
    const connection = connections.get(socket);
    if (connection !== undefined) Object.assign(connection, { response, requestedAt: performance.now() });
  });
  server.prependListener("upgrade", ({ socket }) => {
    const connection = connections.get(socket);
    if (connection !== undefined) connection.isUpgraded = true;
  });
  return {
    isResponding(socket) {
      const response = connections.get(socket)?.response;
      return response?.headersSent === true && !(response.writableFinished && response.req.complete);
    },
    windDown() {
      isWindingDown = true;
      for (const [socket, { response }] of connections) closeAfterResponse(socket, response);
    },
  };
}

function evictConnection(connections: Map<Socket, Connection>, { requestTimeoutMs }: ConnectionLimits): boolean {
  const counts = new Map<string, number>();
  for (const { address } of connections.values()) counts.set(address, (counts.get(address) ?? 0) + 1);
  const since = performance.now() - requestTimeoutMs;
  let candidate: { readonly socket: Socket; readonly count: number } | undefined;
  for (const [socket, connection] of connections) {
    const count = counts.get(connection.address) ?? 0;
    if (count > (candidate?.count ?? 0) && !isInUse(connection, since)) candidate = { socket, count };
  }
  if (candidate === undefined) return false;
  connections.delete(candidate.socket);
  candidate.socket.destroy();
  return true;
}

function isInUse({ response, requestedAt, isUpgraded }: Connection, since: number): boolean {
  if (isUpgraded) return true;
  return response !== undefined && !response.writableFinished && response.req.complete && requestedAt > since;
}

function closeAfterResponse(socket: Socket, response: ServerResponse | undefined): void {
  if (response === undefined || response.writableFinished) socket.destroy();
  else if (response.headersSent) response.once("finish", () => socket.destroySoon());
  else response.setHeader("connection", "close");
}

/**
 * Handles connections that never become a request: bytes that are not HTTP, or headers that are too large or too slow.
 */
export function brokenRequestHandler(connections: Connections, limits: Limits, log: ServerLog) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    const isClosed = error.code === "ECONNRESET" || !socket.writable;
    // Browsers open connections in advance and may never use them.
    const isUnused = socket.bytesRead === 0;
    if (isClosed || isUnused || connections.isResponding(socket)) {
      socket.destroy();
      return;
    }
    const refusal = parserRefusal(error.code, limits);
    const response = failureResponse(refusal);
    log.warn({ status: response.status, code: refusal.kind }, "broken request");
    socket.write(rawResponse(response));
    socket.destroySoon();
  };
}

function parserRefusal(code: string | undefined, limits: Limits): SvcmError {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new SvcmError("REQUEST_TIMEOUT", { details: "The request did not arrive in time." });
    case "HPE_HEADER_OVERFLOW":
      return new SvcmError("HEADERS_TOO_LARGE", { details: `Accepted: at most ${limits.maxHeaderBytes} bytes.` });
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return new SvcmError("PAYLOAD_TOO_LARGE", { details: "Accepted: chunks without extensions." });
    default:
      return new SvcmError("INVALID_REQUEST", { details: "The request is not well-formed HTTP." });
  }
}

function rawResponse({ status, headers, text }: FailureResponse): string {
  const all = { ...headers, "content-length": String(Buffer.byteLength(text)), connection: "close" };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${text}`;
}
