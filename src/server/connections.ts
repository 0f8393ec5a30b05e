import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { networkOf, peerAddress } from "./client-address.ts";

/** The state of sockets, which Node does not report. */
export interface Connections {
  /** While true, nothing else may be written. */
  isAnswering(socket: Socket): boolean;
  /** Refuses new connections, closes idle ones, and closes the others after their response. */
  windDown(): void;
}

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** A complete request keeps its connection for this time if connections are scarce. */
  readonly requestTimeoutMs: number;
}

interface Held {
  readonly address: string;
  /** Undefined before the first request. Node treats such a connection as busy. */
  answer?: ServerResponse;
  askedAt: number;
  isUpgraded: boolean;
}

/**
 * Limits the number of connections. If the limit is reached, a new connection replaces the oldest unused one of the
 * address with the most connections. So an address that opens hundreds shuts out only itself.
 */
export function watchConnections(server: Server, limits: ConnectionLimits): Connections {
  const held = new Map<Socket, Held>();
  let isWindingDown = false;
  server.on("connection", (socket: Socket) => {
    if (isWindingDown || (held.size >= limits.maxConnections && !makePlace(held, limits))) {
      socket.destroy();
      return;
    }
    const address = networkOf(peerAddress(socket.remoteAddress));
    held.set(socket, { address, askedAt: 0, isUpgraded: false });
    socket.once("close", () => held.delete(socket));
  });
  server.prependListener("request", ({ socket }, answer) => {
    const connection = held.get(socket);
    if (connection !== undefined) Object.assign(connection, { answer, askedAt: performance.now() });
  });
  server.prependListener("upgrade", ({ socket }) => {
    const connection = held.get(socket);
    if (connection !== undefined) connection.isUpgraded = true;
  });
  return {
    isAnswering(socket) {
      const answer = held.get(socket)?.answer;
      return answer !== undefined && answer.headersSent && !answer.writableFinished;
    },
    windDown() {
      isWindingDown = true;
      for (const [socket, { answer }] of held) endWith(socket, answer);
    },
  };
}

function makePlace(held: Map<Socket, Held>, { requestTimeoutMs }: ConnectionLimits): boolean {
  const counts = new Map<string, number>();
  for (const { address } of held.values()) counts.set(address, (counts.get(address) ?? 0) + 1);
  const since = performance.now() - requestTimeoutMs;
  let found: { readonly socket: Socket; readonly count: number } | undefined;
  for (const [socket, connection] of held) {
    const count = counts.get(connection.address) ?? 0;
    if (count > (found?.count ?? 0) && !isInUse(connection, since)) found = { socket, count };
  }
  if (found === undefined) return false;
  held.delete(found.socket);
  found.socket.destroy();
  return true;
}

function isInUse({ answer, askedAt, isUpgraded }: Held, since: number): boolean {
  if (isUpgraded) return true;
  return answer !== undefined && !answer.writableFinished && answer.req.complete && askedAt > since;
}

function endWith(socket: Socket, answer: ServerResponse | undefined): void {
  if (answer === undefined || answer.writableFinished) socket.destroy();
  else if (answer.headersSent) answer.once("finish", () => socket.destroySoon());
  else answer.setHeader("connection", "close");
}
