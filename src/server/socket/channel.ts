import type { FastifyReply, FastifyRequest } from "fastify";
import { WebSocketServer, type WebSocket } from "ws";
import type { Duplex } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { SvcmError, type Identity } from "../../core/index.ts";
import type { Authenticate } from "../authentication.ts";
import type { Limits } from "../limits.ts";
import { errorCode } from "../../core/words/thrown.ts";
import { closeCodes, Peer } from "./peer.ts";
import { Session } from "./session.ts";
import type { SessionContext } from "./session-context.ts";
import { authorizationOf, chooseSubprotocol } from "./subprotocol.ts";
import { WINDOW_BITS } from "./shared-message.ts";
import type { Upgrades } from "./upgrades.ts";

const MAX_FRAGMENTS = 64;
const RETRY_AFTER_SECONDS = 5;
/** The time that a client has to answer a close frame. */
const CLOSE_HANDSHAKE_MS = 1_000;

interface Who {
  readonly identity: Identity;
  readonly authorization: string | undefined;
  readonly address: string;
}

interface Member {
  readonly socket: WebSocket;
  readonly peer: Peer;
  readonly session: Session;
}

export class Channel {
  readonly #context: SessionContext;
  readonly #upgrades: Upgrades;
  readonly #members = new Set<Member>();
  readonly #server: WebSocketServer;
  /** One timer for all sockets; runs only while one is open. */
  #heart: NodeJS.Timeout | undefined;
  #isClosing = false;

  constructor(context: SessionContext, upgrades: Upgrades) {
    this.#context = context;
    this.#upgrades = upgrades;
    this.#server = webSocketServer(context.limits);
  }

  /** @throws {SvcmError} UPGRADE_REQUIRED, UNAUTHORIZED, RATE_LIMITED, SERVICE_BUSY, INVALID_REQUEST */
  open(request: FastifyRequest, reply: FastifyReply): void {
    const { address } = request;
    const authorization = authorizationIn(request);
    const identity = identityFor(this.#context.authenticate, address, authorization);
    const upgrade = this.#upgrades.of(request.raw);
    if (upgrade === undefined || request.headers["sec-websocket-version"] !== "13") throw noUpgrade(identity);
    const owes = !identity.grants.includes("read");
    if (this.#isClosing || !this.#hasPlace(owes)) throw busy(this.#placesOf(owes), owes);
    if (wantsSmallerWindow(request)) delete request.raw.headers["sec-websocket-extensions"];
    this.#server.handleUpgrade(request.raw, upgrade.socket, upgrade.head, (socket) => {
      upgrade.taken();
      void reply.hijack();
      this.#join(socket, upgrade.socket, { identity, authorization, address });
    });
  }

  /** Closes each socket after its actions, or after the timeout. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all([...this.#members].map((member) => dismiss(member, this.#context.limits.closeTimeoutMs)));
  }

  #placesOf(owes: boolean): number {
    const { maxOwingSockets, maxSockets } = this.#context.limits;
    return owes ? maxOwingSockets : maxSockets;
  }

  #hasPlace(owes: boolean): boolean {
    return [...this.#members].filter(({ session }) => session.owesToken === owes).length < this.#placesOf(owes);
  }

  #join(socket: WebSocket, connection: Duplex, who: Who): void {
    const { limits, log } = this.#context;
    const peer = new Peer(socket, connection, limits);
    const session = new Session(peer, { ...who, hasPlace: () => this.#hasPlace(false) }, this.#context);
    const member = { socket, peer, session };
    this.#members.add(member);
    // After a pause of this process, the pongs that arrived in the meantime are read first.
    this.#heart ??= setInterval(() => setImmediate(() => this.#beat()), limits.heartbeatMs);
    const deadline = setTimeout(() => session.requireRead(), limits.authTimeoutMs);
    socket.on("message", (data, isBinary) => session.receive(data as Buffer, isBinary));
    // ws closes the socket with the code that matches the violation.
    socket.on("error", (error) => log.debug({ code: errorCode(error) }, "socket failed"));
    socket.on("close", (code) => {
      clearTimeout(deadline);
      this.#members.delete(member);
      if (this.#members.size === 0) this.#rest();
      session.end();
      log.debug({ code, sockets: this.#members.size }, "socket closed");
    });
    log.debug({ sockets: this.#members.size }, "socket opened");
  }

  #beat(): void {
    for (const { peer, session } of this.#members) {
      session.requireToken();
      peer.beat();
    }
  }

  #rest(): void {
    clearInterval(this.#heart);
    this.#heart = undefined;
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

function authorizationIn({ headers }: FastifyRequest): string | undefined {
  return authorizationOf(headers["sec-websocket-protocol"]) ?? headers.authorization;
}

/** @throws {SvcmError} UNAUTHORIZED if a required token is wrong */
function identityFor(authenticate: Authenticate, address: string, authorization: string | undefined): Identity {
  const identity = authenticate(address, authorization);
  if (authorization !== undefined && !identity.grants.includes("read")) throw new SvcmError("UNAUTHORIZED");
  return identity;
}

/** ws would refuse such a client; without the extension, it gets uncompressed frames. */
function wantsSmallerWindow({ headers }: FastifyRequest): boolean {
  const offers = headers["sec-websocket-extensions"] ?? "";
  const windows = [...offers.matchAll(/server_max_window_bits\s*=\s*"?(\d+)/gi)];
  return windows.some(([, bits]) => Number(bits) < WINDOW_BITS);
}

function noUpgrade({ grants }: Identity): SvcmError {
  if (!grants.includes("read")) return new SvcmError("UNAUTHORIZED");
  return new SvcmError("UPGRADE_REQUIRED", { details: "Accepted: a WebSocket handshake, version 13." });
}

function busy(places: number, owes: boolean): SvcmError {
  const whose = owes ? " of clients that have not sent the token" : "";
  const details = `Accepted: ${places} WebSockets${whose} at the same time.`;
  return new SvcmError("SERVICE_BUSY", { details, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

async function dismiss({ socket, peer, session }: Member, timeoutMs: number): Promise<void> {
  const closed = new Promise((resolve) => socket.once("close", resolve));
  session.end();
  const timeout = new AbortController();
  const late = pause(timeoutMs, undefined, { signal: timeout.signal }).catch(() => undefined);
  await Promise.race([session.settled(), closed, late]);
  timeout.abort();
  peer.close(closeCodes.goingAway, "Service Management is closing.");
  await closed;
}
