/** Node emits upgrade requests separately; this module passes them through the router. */
import { ServerResponse, type IncomingMessage, type Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

export interface Upgrade {
  readonly socket: Duplex;
  readonly head: Buffer;
  /** Call it once the connection is a WebSocket, because no HTTP response follows. */
  taken(): void;
}

export interface Upgrades {
  of(request: IncomingMessage): Upgrade | undefined;
}

export function routeUpgrades(server: Server): Upgrades {
  const upgrades = new WeakMap<IncomingMessage, Upgrade>();
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", () => undefined); // A client may disconnect at any time.
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
