import type { AttemptLimit } from "./access.ts";

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** Tests use shorter times. */
export interface Limits {
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly checkIntervalMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly maxHeaderBytes: number;
  readonly maxBodyBytes: number;
  readonly maxDocumentBytes: number;
  readonly maxBodyDepth: number;
  readonly maxConnections: number;
  readonly closeTimeoutMs: number;
  readonly maxSockets: number;
  /** Extra sockets for clients that have not sent their token yet. */
  readonly maxUnauthenticatedSockets: number;
  readonly attempts: AttemptLimit;
  readonly maxFrameBytes: number;
  readonly frameRate: Rate;
  readonly actionRate: Rate;
  readonly maxActions: number;
  /** A client with more unread samples gets no new ones. */
  readonly maxUnreadSamples: number;
  readonly maxUnsentBytes: number;
  readonly heartbeatMs: number;
  readonly pongTimeoutMs: number;
  readonly authTimeoutMs: number;
}

export const defaultLimits: Limits = {
  headersTimeoutMs: 5_000,
  requestTimeoutMs: 15_000,
  // Each check wakes the server, even without clients.
  checkIntervalMs: 10_000,
  keepAliveTimeoutMs: 10_000,
  maxHeaderBytes: 8 * 1024,
  maxBodyBytes: 64 * 1024,
  maxDocumentBytes: 4 * 1024 * 1024,
  maxBodyDepth: 8,
  maxConnections: 256,
  closeTimeoutMs: 5_000,
  maxSockets: 128,
  maxUnauthenticatedSockets: 8,
  attempts: { failures: 10, windowMs: 60_000 },
  maxFrameBytes: 16 * 1024,
  frameRate: { perSecond: 20, burst: 40 },
  actionRate: { perSecond: 2, burst: 20 },
  maxActions: 8,
  maxUnreadSamples: 16,
  maxUnsentBytes: 256 * 1024,
  heartbeatMs: 5_000,
  pongTimeoutMs: 20_000,
  authTimeoutMs: 10_000,
};

export function rateLimiter({ perSecond, burst }: Rate): () => boolean {
  let available = burst;
  let last = performance.now();
  return () => {
    const now = performance.now();
    available = Math.min(burst, available + ((now - last) / 1000) * perSecond);
    last = now;
    if (available < 1) return false;
    available -= 1;
    return true;
  };
}
