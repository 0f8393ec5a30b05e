/**
 * One line of the audit log. It names what was changed, never a value.
 *
 * A mutation leaves two lines with the same `id`: `started`, synced before the change, and its
 * outcome after it. A `started` line without a second one is a mutation that was cut off.
 *
 * @see CONTRACT section 8
 */
export interface AuditRecord {
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  /** For example `env.write` or `process.start`. */
  readonly action: string;
  /** The environment as it was asked for. */
  readonly environment: string;
  readonly keys?: readonly string[];
  readonly target?: string;
  readonly source: AuditSource;
  readonly actor?: string;
  readonly outcome: AuditOutcome;
  readonly code?: string;
}

export type AuditSource = "cli" | "http" | "ws";
export type AuditOutcome = "started" | "succeeded" | "failed";
