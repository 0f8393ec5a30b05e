/**
 * Requests that ask for another protocol. Node hands them over apart from all others; here they are
 * given back to the router, so that they meet the same guard, the same routes and the same answers.
 */
import { ServerResponse, type IncomingMessage, type Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** The connection behind a request that asked for a WebSocket. */
export interface Upgrade {
  readonly socket: Duplex;
  /** What came behind the request already. */
  readonly head: Buffer;
  /** To be called when the connection belongs to somebody else: no answer follows. */
  taken(): void;
}

export interface Upgrades {
  /** The upgrade that a request asks for, if it is one to a WebSocket. */
  of(request: IncomingMessage): Upgrade | undefined;
}

export function routeUpgrades(server: Server): Upgrades {
  const upgrades = new WeakMap<IncomingMessage, Upgrade>();
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", () => undefined); // a client that goes away is no failure
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once("finish", () => {
      response.detachSocket(socket);
      socket.destroySoon();
    });
    if (request.headers.upgrade?.toLowerCase() === "websocket") {
      upgrades.set(request, { socket, head, taken: () => response.detachSocket(socket) });
    }
    server.emit("request", request, response);
  });
  return { of: (request) => upgrades.get(request) };
}
