import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { ServerFrame } from "../../core/api/frames.ts";
import { toJson } from "../response.ts";
import type { Limits } from "../limits.ts";
import { constants, deflateRawSync } from "node:zlib";
import { MIN_COMPRESSED_BYTES } from "../compression.ts";

export const closeCodes = {
  goingAway: 1001,
  unsupportedData: 1003,
  policyViolation: 1008,
  internalError: 1011,
} as const;

/**
 * Responses are always sent; samples are only offered: a client that has not read the earlier ones gets no more,
 * so nothing queues up.
 *
 * The kernel buffers megabytes, which are minutes of samples, before `bufferedAmount` grows. Therefore a ping follows
 * every few samples, and its pong shows that they were read.
 */
export class Peer {
  readonly #socket: WebSocket;
  readonly #connection: Duplex;
  readonly #limits: Limits;
  /** Samples sent before the pending ping, and after it. */
  #sentBeforePing = 0;
  #sentSincePing = 0;
  #pingedAt: number | undefined;

  constructor(socket: WebSocket, connection: Duplex, limits: Limits) {
    this.#socket = socket;
    this.#connection = connection;
    this.#limits = limits;
    socket.on("pong", () => {
      this.#sentBeforePing = 0;
      this.#pingedAt = undefined;
    });
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Disconnects a client that sends requests without reading the responses. */
  send(frame: ServerFrame): void {
    if (!this.isOpen) return;
    if (this.#socket.bufferedAmount > this.#limits.maxUnsentBytes) this.#socket.terminate();
    else this.#sendShared(new SharedMessage(toJson(frame)));
  }

  /** Returns false if the client has not read the earlier samples. */
  offer(messages: readonly SharedMessage[]): boolean {
    if (!this.isOpen || this.#socket.bufferedAmount > 0) return false;
    if (this.#sentBeforePing + this.#sentSincePing >= this.#limits.maxUnreadSamples) return false;
    for (const message of messages) this.#sendShared(message);
    this.#sentSincePing += 1;
    if (this.#pingedAt === undefined && this.#sentSincePing * 2 >= this.#limits.maxUnreadSamples) this.#ping();
    return true;
  }

  /** Disconnects clients that left a ping unanswered for too long. */
  checkHeartbeat(): void {
    if (this.#pingedAt === undefined) this.#ping();
    else if (performance.now() - this.#pingedAt >= this.#limits.pongTimeoutMs) this.#socket.terminate();
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  /** Bypasses the library, which compresses nothing, so the order is preserved. */
  #sendShared(message: SharedMessage): void {
    const isCompressed = message.isWorthCompressing && this.#socket.extensions.includes("permessage-deflate");
    if (isCompressed) this.#connection.write(message.compressed);
    else this.#socket.send(message.plain, { binary: false, compress: false });
  }

  #ping(): void {
    if (!this.isOpen) return;
    this.#pingedAt = performance.now();
    this.#sentBeforePing += this.#sentSincePing;
    this.#sentSincePing = 0;
    this.#socket.ping();
  }
}

/** Large enough for repeated process records, and small enough for clients with little memory. */
export const WINDOW_BITS = 12;
/** Takes 0.1 ms for a hundred processes. The best level saves another fifth but takes ten times as long. */
const LEVEL = 3;
/** A flush appends these bytes, and RFC 7692 removes them. */
const FLUSH_TAIL_BYTES = 4;
const COMPRESSED_TEXT = 0xc1;

/**
 * Without context takeover, the compressed bytes are the same for all clients; a library would compress once per
 * client.
 */
export class SharedMessage {
  readonly plain: Buffer;
  #compressed: Buffer | undefined;

  constructor(text: string) {
    this.plain = Buffer.from(text);
  }

  get isWorthCompressing(): boolean {
    return this.plain.length > MIN_COMPRESSED_BYTES;
  }

  /** A complete frame as in RFC 7692, for clients that negotiated permessage-deflate with this window. */
  get compressed(): Buffer {
    return (this.#compressed ??= encodeFrame(deflate(this.plain)));
  }
}

function deflate(bytes: Buffer): Buffer {
  const options = { windowBits: WINDOW_BITS, level: LEVEL, finishFlush: constants.Z_SYNC_FLUSH };
  const deflated = deflateRawSync(bytes, options);
  return deflated.subarray(0, deflated.length - FLUSH_TAIL_BYTES);
}

function encodeFrame(payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([COMPRESSED_TEXT]), encodeLength(payload.length), payload]);
}

/** 7 bits, or 126 and 16 bits, or 127 and 64 bits. A server does not mask. */
function encodeLength(length: number): Buffer {
  if (length < 126) return Buffer.from([length]);
  if (length < 65_536) return Buffer.from([126, length >> 8, length & 255]);
  const bytes = Buffer.alloc(9);
  bytes.writeUInt8(127);
  bytes.writeBigUInt64BE(BigInt(length), 1);
  return bytes;
}
