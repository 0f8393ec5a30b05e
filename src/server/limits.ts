/** Bounds on what a client may cost. Tests use shorter times. */
export interface Limits {
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How often the two timeouts above are looked at. */
  readonly checkIntervalMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly maxHeaderBytes: number;
  readonly maxBodyBytes: number;
  readonly maxBodyDepth: number;
  readonly maxConnections: number;
  /** How long requests in flight may take to finish when the server closes. */
  readonly closeTimeoutMs: number;
}

export const defaultLimits: Limits = {
  headersTimeoutMs: 5_000,
  requestTimeoutMs: 15_000,
  checkIntervalMs: 1_000,
  keepAliveTimeoutMs: 10_000,
  maxHeaderBytes: 8 * 1024,
  maxBodyBytes: 64 * 1024,
  maxBodyDepth: 8,
  maxConnections: 256,
  closeTimeoutMs: 5_000,
};
