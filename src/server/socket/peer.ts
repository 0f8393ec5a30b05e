import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { ServerFrame } from "../../core/api/frames.ts";
import { toJson } from "../answer.ts";
import type { Limits } from "../limits.ts";
import { SharedMessage } from "./shared-message.ts";

/** The close codes of RFC 6455 that the server uses. */
export const closeCodes = {
  goingAway: 1001,
  unsupportedData: 1003,
  policyViolation: 1008,
  internalError: 1011,
} as const;

/**
 * The sending half of one client's socket. Answers are always sent. Samples are offered: a client
 * that has not read the earlier ones gets none, so nothing is stacked for it, and one that reads
 * nothing at all is cut.
 *
 * The kernel takes some megabytes before `bufferedAmount` tells that nobody reads, which is minutes
 * of stale samples; so every few of them are followed by a ping, and its pong tells that they were read.
 */
export class Peer {
  readonly #socket: WebSocket;
  readonly #connection: Duplex;
  readonly #limits: Limits;
  /** Samples sent before the ping that is awaited, and after the last ping. */
  #beforePing = 0;
  #sincePing = 0;
  #pingedAt: number | undefined;

  /** @param connection that the socket was made of */
  constructor(socket: WebSocket, connection: Duplex, limits: Limits) {
    this.#socket = socket;
    this.#connection = connection;
    this.#limits = limits;
    socket.on("pong", () => {
      this.#beforePing = 0;
      this.#pingedAt = undefined;
    });
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Sends an answer. Who asks on without reading the answers is cut. */
  send(frame: ServerFrame): void {
    if (!this.isOpen) return;
    if (this.#socket.bufferedAmount > this.#limits.maxUnsentBytes) this.#socket.terminate();
    else this.#sendShared(new SharedMessage(toJson(frame)));
  }

  /** Sends a sample where the client is up to date; false where it is not, and gets none. */
  offer(messages: readonly SharedMessage[]): boolean {
    if (!this.isOpen || this.#socket.bufferedAmount > 0) return false;
    if (this.#beforePing + this.#sincePing >= this.#limits.maxUnreadSamples) return false;
    for (const message of messages) this.#sendShared(message);
    this.#sincePing += 1;
    if (this.#pingedAt === undefined && this.#sincePing * 2 >= this.#limits.maxUnreadSamples) this.#ping();
    return true;
  }

  /** Cuts a client that left a ping unanswered for too long; asks one that was not asked lately. */
  beat(): void {
    if (this.#pingedAt === undefined) this.#ping();
    else if (performance.now() - this.#pingedAt >= this.#limits.pongTimeoutMs) this.#socket.terminate();
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  /**
   * A compressed message is a whole frame already and passes the library by. That keeps its place among the others,
   * because the library itself compresses nothing, so it writes each frame at once.
   */
  #sendShared(message: SharedMessage): void {
    const isCompressed = message.isWorthCompressing && this.#socket.extensions.includes("permessage-deflate");
    if (isCompressed) this.#connection.write(message.compressed);
    else this.#socket.send(message.plain, { binary: false, compress: false });
  }

  #ping(): void {
    if (!this.isOpen) return;
    this.#pingedAt = performance.now();
    this.#beforePing += this.#sincePing;
    this.#sincePing = 0;
    this.#socket.ping();
  }
}
