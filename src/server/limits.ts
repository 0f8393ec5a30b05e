import type { AttemptLimit } from "./attempts.ts";
import type { Rate } from "./socket/rate.ts";

/** Bounds on what a client may cost. Tests use shorter times. */
export interface Limits {
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How often the two timeouts above are looked at. */
  readonly checkIntervalMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly maxHeaderBytes: number;
  readonly maxBodyBytes: number;
  /** Of a deployments document. */
  readonly maxDocumentBytes: number;
  readonly maxBodyDepth: number;
  readonly maxConnections: number;
  /** How long requests in flight may take to finish when the server closes. */
  readonly closeTimeoutMs: number;
  readonly maxSockets: number;
  /** Sockets of clients that still owe the token, beside those. */
  readonly maxOwingSockets: number;
  /** Wrong tokens from one address before the next one is not looked at. */
  readonly attempts: AttemptLimit;
  readonly maxFrameBytes: number;
  /** How many frames a client may send, and how many of them may be actions. */
  readonly frameRate: Rate;
  readonly actionRate: Rate;
  /** Actions of one client that are under way at the same time. */
  readonly maxActions: number;
  /** Samples that a client may leave unread before it gets no more of them. */
  readonly maxUnreadSamples: number;
  /** Answers that may wait for a client that does not read. */
  readonly maxUnsentBytes: number;
  readonly heartbeatMs: number;
  /** How long a client may leave a ping unanswered before it counts as dead. */
  readonly pongTimeoutMs: number;
  /** How long a client that still owes the token may stay. */
  readonly authTimeoutMs: number;
}

export const defaultLimits: Limits = {
  headersTimeoutMs: 5_000,
  requestTimeoutMs: 15_000,
  checkIntervalMs: 1_000,
  keepAliveTimeoutMs: 10_000,
  maxHeaderBytes: 8 * 1024,
  maxBodyBytes: 64 * 1024,
  maxDocumentBytes: 4 * 1024 * 1024,
  maxBodyDepth: 8,
  maxConnections: 256,
  closeTimeoutMs: 5_000,
  maxSockets: 128,
  maxOwingSockets: 8,
  attempts: { failures: 10, windowMs: 60_000 },
  maxFrameBytes: 16 * 1024,
  frameRate: { perSecond: 20, burst: 40 },
  actionRate: { perSecond: 2, burst: 20 },
  maxActions: 8,
  maxUnreadSamples: 16,
  maxUnsentBytes: 256 * 1024,
  heartbeatMs: 10_000,
  pongTimeoutMs: 20_000,
  authTimeoutMs: 10_000,
};
