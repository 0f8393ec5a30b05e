import { ServerResponse, type IncomingMessage, type Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { SUBPROTOCOL, TOKEN_SUBPROTOCOL } from "../../core/api/channel.ts";

export interface Upgrade {
  readonly socket: Duplex;
  readonly head: Buffer;
  /** Call it once the connection is a WebSocket, because no HTTP response follows. */
  detach(): void;
}

export interface Upgrades {
  find(request: IncomingMessage): Upgrade | undefined;
}

/** Passes upgrade requests, which Node emits separately, through the router. */
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
      upgrades.set(request, { socket, head, detach: () => response.detachSocket(socket) });
    }
    server.emit("request", request, response);
  });
  return { find: (request) => upgrades.get(request) };
}

export function chooseSubprotocol(subprotocols: ReadonlySet<string>): string | false {
  return subprotocols.has(SUBPROTOCOL) && SUBPROTOCOL;
}

/** A browser cannot set a header on a WebSocket, so it may send the token as a subprotocol. No response repeats it. */
export function subprotocolAuthorization(offered: string | undefined): string | undefined {
  const names = (offered ?? "").split(",").map((name) => name.trim());
  const carrier = names.find((name) => name.startsWith(TOKEN_SUBPROTOCOL));
  return carrier && bearer(Buffer.from(carrier.slice(TOKEN_SUBPROTOCOL.length), "base64url"));
}

/** Node decodes header bytes as Latin-1. */
export function bearer(token: string | Uint8Array): string {
  return `Bearer ${Buffer.from(token as string).toString("latin1")}`;
}
