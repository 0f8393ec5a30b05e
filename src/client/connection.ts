import type { ClientFrame, ServerFrame } from "./frames.generated.ts";
import type { ClientOptions, SocketConstructor, SocketLike } from "./api.ts";
import { SOCKET_PATH, SUBPROTOCOL, TOKEN_SUBPROTOCOL } from "../core/api/channel.ts";

export interface ConnectionOptions {
  readonly address: Address;
  readonly token: ClientOptions["token"];
  readonly Socket: SocketConstructor;
  /** A socket is open: send the requests again. */
  readonly onOpen: () => void;
  readonly onFrame: (frame: ServerFrame) => void;
  /** The socket is lost and svcm will try again. */
  readonly onDown: () => void;
  readonly onRetry: (reason: string) => void;
  /** The service refuses this client, and svcm does not try again. */
  readonly onRefused: (error: ServiceError) => void;
}

/** Prefers the given WebSocket to the global one. @throws {TypeError} if there is neither */
export function socketConstructor(explicit: SocketConstructor | undefined): SocketConstructor {
  const Socket = explicit ?? (globalThis as { readonly WebSocket?: SocketConstructor }).WebSocket;
  if (Socket !== undefined) return Socket;
  throw new TypeError('There is no global WebSocket before Node 22. Accepted: { WebSocket } of the package "ws".');
}

const DIAGNOSIS_TIMEOUT_MS = 5_000;
const NORMAL_CLOSE = 1000;

export class Connection {
  readonly #options: ConnectionOptions;
  #socket: SocketLike | undefined;
  #isOpen = false;
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Counts sockets, so that late events of an old one can be ignored. */
  #generation = 0;
  #isActive = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    if (this.#isActive) return;
    this.#isActive = true;
    this.#connect();
  }

  /** Returns false if no socket is open. */
  send(frame: ClientFrame): boolean {
    if (this.#isOpen) this.#socket?.send(JSON.stringify(frame));
    return this.#isOpen;
  }

  renew(): void {
    this.#drop();
    this.#options.onDown();
    this.#retry();
  }

  close(): void {
    this.#isActive = false;
    this.#drop();
  }

  #connect(): void {
    const { token } = this.#options;
    const generation = ++this.#generation;
    if (typeof token !== "function") return this.#open(generation, token);
    token().then(
      (value) => generation === this.#generation && this.#open(generation, value),
      () => generation === this.#generation && this.#retry(),
    );
  }

  #open(generation: number, token: string | undefined): void {
    const { Socket, address } = this.#options;
    const socket = new Socket(address.socket, subprotocols(token));
    const isCurrent = (): boolean => generation === this.#generation;
    this.#socket = socket;
    socket.addEventListener("open", () => {
      if (!isCurrent()) return socket.close(NORMAL_CLOSE);
      this.#isOpen = true;
      this.#options.onOpen();
    });
    socket.addEventListener("message", ({ data }) => {
      const frame = isCurrent() ? parseFrame(data) : undefined;
      if (frame === undefined) return;
      this.#attempt = 0;
      this.#options.onFrame(frame);
    });
    let reason = "";
    socket.addEventListener("error", ({ message }) => (reason = typeof message === "string" ? message : ""));
    socket.addEventListener("close", () => {
      if (isCurrent()) void this.#onClose(generation, reason);
    });
  }

  async #onClose(generation: number, reason: string): Promise<void> {
    const wasOpen = this.#isOpen;
    this.#socket = undefined;
    this.#isOpen = false;
    this.#options.onDown();
    const refusal = wasOpen ? undefined : await handshakeRefusal(this.#options);
    if (generation !== this.#generation) return;
    if (refusal === undefined) {
      if (!wasOpen) this.#options.onRetry(reason);
      return this.#retry();
    }
    this.#isActive = false;
    this.#options.onRefused(refusal);
  }

  #retry(): void {
    this.#timer = setTimeout(() => this.#connect(), backoffMs(this.#attempt++, Math.random()));
  }

  #drop(): void {
    this.#generation += 1;
    clearTimeout(this.#timer);
    this.#socket?.close(NORMAL_CLOSE);
    this.#socket = undefined;
    this.#isOpen = false;
  }
}

/** A WebSocket does not report why it was refused, but an HTTP request to the same address does. */
async function handshakeRefusal({ address, token }: ConnectionOptions): Promise<ServiceError | undefined> {
  try {
    const credential = typeof token === "function" ? await token() : token;
    const response = await fetch(address.http, {
      headers: credential === undefined ? {} : { authorization: bearer(credential) },
      signal: AbortSignal.timeout(DIAGNOSIS_TIMEOUT_MS),
      redirect: "error",
    });
    const body = (await response.json()) as { error?: unknown; details?: unknown };
    const code = REFUSALS[response.status];
    if (code === undefined) return undefined;
    return new ServiceError(code, [body.error, body.details].filter((text) => typeof text === "string").join(" "));
  } catch {
    return undefined;
  }
}

/** Status codes for which another attempt would not help. */
const REFUSALS: Readonly<Record<number, string>> = { 401: "UNAUTHORIZED", 403: "FORBIDDEN", 404: "NOT_FOUND" };

/** HTTP header bytes are Latin-1. */
function bearer(token: string): string {
  return `Bearer ${String.fromCodePoint(...new TextEncoder().encode(token))}`;
}

function parseFrame(data: unknown): ServerFrame | undefined {
  if (typeof data !== "string") return undefined;
  try {
    return JSON.parse(data) as ServerFrame;
  } catch {
    return undefined;
  }
}

const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 10_000;

/**
 * Milliseconds before the next attempt to connect. The upper bound doubles up to ten seconds; the random part keeps
 * clients from returning at the same time.
 * @param attempt 0 for the first one after a working connection
 * @param random from 0 to 1
 */
export function backoffMs(attempt: number, random: number): number {
  const ceiling = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempt, 30));
  return ceiling / 2 + (ceiling / 2) * random;
}

interface Address {
  readonly socket: string;
  readonly http: string;
}

/**
 * @param service may include the path under which a proxy serves it
 * @throws {TypeError} if it is not an http, https, ws or wss URL
 */
export function addressOf(service: string | URL): Address {
  const url = new URL(service);
  if (!/^(?:http|ws)s?:$/.test(url.protocol)) throw new TypeError("Accepted: an http or https URL of the service.");
  if (url.username !== "" || url.password !== "") throw new TypeError("Accepted: a URL without credentials.");
  const { host, pathname } = url;
  const path = pathname.replace(/\/$/, "") + SOCKET_PATH;
  const secure = url.protocol.endsWith("s:") ? "s" : "";
  return { socket: `ws${secure}://${host}${path}`, http: `http${secure}://${host}${path}` };
}

/** A browser can send the token only as a subprotocol. */
function subprotocols(token: string | undefined): string[] {
  return token === undefined ? [SUBPROTOCOL] : [SUBPROTOCOL, `${TOKEN_SUBPROTOCOL}${base64url(token)}`];
}

function base64url(text: string): string {
  const binary = String.fromCodePoint(...new TextEncoder().encode(text));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The service refused a request, with a stable code, for example `UNAUTHORIZED` or `INVALID_SUBSCRIPTION`. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * The connection was lost after an action was sent and before its result arrived. The action may have happened; the
 * metrics show whether it did. It is never sent again.
 */
export class OutcomeUnknownError extends Error {
  override readonly name = "OutcomeUnknownError";

  constructor() {
    super("The connection was lost before the result of the action came. It may have happened or not.");
  }
}
