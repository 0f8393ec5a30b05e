import type { FastifyReply, FastifyRequest } from "fastify";
import { WebSocketServer, type WebSocket } from "ws";
import type { Duplex } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { SvcmError, type Identity } from "../../core/index.ts";
import type { Authenticate } from "../access.ts";
import type { Limits } from "../limits.ts";
import { errorCode } from "../../core/words/thrown.ts";
import { closeCodes, Peer, WINDOW_BITS } from "./peer.ts";
import { Session } from "./session.ts";
import type { Client, SessionContext } from "./session-context.ts";
import { chooseSubprotocol, subprotocolAuthorization, type Upgrades } from "./handshake.ts";

const MAX_FRAGMENTS = 64;
const RETRY_AFTER_SECONDS = 5;
/** The time that a client has to answer a close frame. */
const CLOSE_HANDSHAKE_MS = 1_000;

interface Connection {
  readonly socket: WebSocket;
  readonly peer: Peer;
  readonly session: Session;
}

export class Channel {
  readonly #context: SessionContext;
  readonly #upgrades: Upgrades;
  readonly #connections = new Set<Connection>();
  readonly #server: WebSocketServer;
  /** One timer for all sockets; runs only while one is open. */
  #heartbeat: NodeJS.Timeout | undefined;
  #isClosing = false;

  constructor(context: SessionContext, upgrades: Upgrades) {
    this.#context = context;
    this.#upgrades = upgrades;
    this.#server = webSocketServer(context.limits);
  }

  /** @throws {SvcmError} UPGRADE_REQUIRED, UNAUTHORIZED, RATE_LIMITED, SERVICE_BUSY, INVALID_REQUEST */
  open(request: FastifyRequest, reply: FastifyReply): void {
    const { address } = request;
    const authorization =
      subprotocolAuthorization(request.headers["sec-websocket-protocol"]) ?? request.headers.authorization;
    const identity = authenticateUpgrade(this.#context.authenticate, address, authorization);
    const upgrade = this.#upgrades.find(request.raw);
    if (upgrade === undefined || request.headers["sec-websocket-version"] !== "13") throw upgradeRefusal(identity);
    const isUnauthenticated = !identity.grants.includes("read");
    if (this.#isClosing || !this.#hasCapacity(isUnauthenticated))
      throw busyRefusal(this.#maxSockets(isUnauthenticated), isUnauthenticated);
    if (offersSmallerWindow(request)) delete request.raw.headers["sec-websocket-extensions"];
    this.#server.handleUpgrade(request.raw, upgrade.socket, upgrade.head, (socket) => {
      upgrade.detach();
      void reply.hijack();
      this.#accept(socket, upgrade.socket, { identity, authorization, address });
    });
  }

  /** Closes each socket after its actions, or after the timeout. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all(
      [...this.#connections].map((connection) => closeConnection(connection, this.#context.limits.closeTimeoutMs)),
    );
  }

  #maxSockets(isUnauthenticated: boolean): number {
    const { maxUnauthenticatedSockets, maxSockets } = this.#context.limits;
    return isUnauthenticated ? maxUnauthenticatedSockets : maxSockets;
  }

  #hasCapacity(isUnauthenticated: boolean): boolean {
    return (
      [...this.#connections].filter(({ session }) => session.isUnauthenticated === isUnauthenticated).length <
      this.#maxSockets(isUnauthenticated)
    );
  }

  #accept(socket: WebSocket, stream: Duplex, credentials: Omit<Client, "hasCapacity">): void {
    const { limits, log } = this.#context;
    const peer = new Peer(socket, stream, limits);
    const session = new Session(peer, { ...credentials, hasCapacity: () => this.#hasCapacity(false) }, this.#context);
    const connection = { socket, peer, session };
    this.#connections.add(connection);
    // After a pause of this process, the pongs that arrived in the meantime are read first.
    this.#heartbeat ??= setInterval(() => setImmediate(() => this.#checkConnections()), limits.heartbeatMs);
    const deadline = setTimeout(() => session.requireRead(), limits.authTimeoutMs);
    socket.on("message", (data, isBinary) => session.receive(data as Buffer, isBinary));
    // ws closes the socket with the code that matches the violation.
    socket.on("error", (error) => log.debug({ code: errorCode(error) }, "socket failed"));
    socket.on("close", (code) => {
      clearTimeout(deadline);
      this.#connections.delete(connection);
      if (this.#connections.size === 0) this.#stopHeartbeat();
      session.end();
      log.debug({ code, sockets: this.#connections.size }, "socket closed");
    });
    log.debug({ sockets: this.#connections.size }, "socket opened");
  }

  #checkConnections(): void {
    for (const { peer, session } of this.#connections) {
      session.revalidate();
      peer.checkHeartbeat();
    }
  }

  #stopHeartbeat(): void {
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }
}

/** Implemented by `SharedMessage`; no state is kept between messages. */
const deflation = {
  serverNoContextTakeover: true,
  clientNoContextTakeover: true,
  serverMaxWindowBits: WINDOW_BITS,
  threshold: Number.POSITIVE_INFINITY,
};

function webSocketServer(limits: Limits): WebSocketServer {
  const options = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: deflation,
    maxPayload: limits.maxFrameBytes,
    maxFragments: MAX_FRAGMENTS,
    maxBufferedChunks: MAX_FRAGMENTS,
    closeTimeout: CLOSE_HANDSHAKE_MS,
    handleProtocols: chooseSubprotocol,
  };
  const server = new WebSocketServer(options);
  // Thrown through `handleUpgrade`, so that the refusal gets the usual error body.
  server.on("wsClientError", ({ message }) => {
    throw new SvcmError("INVALID_REQUEST", { details: `${message}.` });
  });
  return server;
}

/** @throws {SvcmError} UNAUTHORIZED if a required token is wrong */
function authenticateUpgrade(authenticate: Authenticate, address: string, authorization: string | undefined): Identity {
  const identity = authenticate(address, authorization);
  if (authorization !== undefined && !identity.grants.includes("read")) throw new SvcmError("UNAUTHORIZED");
  return identity;
}

/** ws would refuse such a client; without the extension, it gets uncompressed frames. */
function offersSmallerWindow({ headers }: FastifyRequest): boolean {
  const offers = headers["sec-websocket-extensions"] ?? "";
  const windows = [...offers.matchAll(/server_max_window_bits\s*=\s*"?(\d+)/gi)];
  return windows.some(([, bits]) => Number(bits) < WINDOW_BITS);
}

function upgradeRefusal({ grants }: Identity): SvcmError {
  if (!grants.includes("read")) return new SvcmError("UNAUTHORIZED");
  return new SvcmError("UPGRADE_REQUIRED", { details: "Accepted: a WebSocket handshake, version 13." });
}

function busyRefusal(limit: number, isUnauthenticated: boolean): SvcmError {
  const whose = isUnauthenticated ? " of clients that have not sent the token" : "";
  const details = `Accepted: ${limit} WebSockets${whose} at the same time.`;
  return new SvcmError("SERVICE_BUSY", { details, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

async function closeConnection({ socket, peer, session }: Connection, timeoutMs: number): Promise<void> {
  const closed = new Promise((resolve) => socket.once("close", resolve));
  session.end();
  const timeout = new AbortController();
  const late = pause(timeoutMs, undefined, { signal: timeout.signal }).catch(() => undefined);
  await Promise.race([session.settled(), closed, late]);
  timeout.abort();
  peer.close(closeCodes.goingAway, "Service Management is closing.");
  await closed;
}
