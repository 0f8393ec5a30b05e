import type { auditOutcomes } from "./names.ts";

/**
 * One line of the audit log. It names what was changed, never a value.
 *
 * A mutation that begins leaves two lines with the same `id`: `started`, synced before the first effect, and its
 * outcome. A `started` line without a second one is a mutation that was cut off. An attempt that never begins leaves
 * one line, `refused`.
 *
 * @see CONTRACT section 8
 */
export interface AuditRecord {
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  /** For example `env.write` or `process.start`. */
  readonly action: string;
  /** The canonical name, `dev` for `development`. Absent if the action does not concern one environment. */
  readonly environment?: string;
  readonly service?: string;
  /** Names of the changed keys. */
  readonly keys?: readonly string[];
  /** Every process that the action touched or would have touched. */
  readonly processes?: readonly AuditedProcess[];
  /** What was asked for, if it is neither a key nor a process: an entry of a document, a namespace, an unknown name. */
  readonly target?: string;
  readonly source: AuditSource;
  /** The system's user on the command line; over the network the name of the token, or `anonymous`. */
  readonly actor?: string;
  /** The network address of a caller who was refused for the lack of a token. */
  readonly address?: string;
  /** Name of the machine, if the record comes from another one. */
  readonly node?: string;
  readonly outcome: AuditOutcome;
  /** Why it was refused or failed, or why nothing had to be done. */
  readonly code?: string;
  /** Milliseconds from the attempt to its outcome. */
  readonly ms?: number;
  /** How many equal refusals the record stands for; 1 if it is absent. */
  readonly count?: number;
}

/** A process of one PM2. */
export interface AuditedProcess {
  readonly name: string;
  /** PM2's number; null for a declared app that PM2 does not know yet. */
  readonly pmId: number | null;
  /** Absolute path of the PM2_HOME whose process it is. */
  readonly pm2Home: string;
}

export type AuditSource = "cli" | "http" | "ws" | "nats";
/** `refused` ended before its first effect, `failed` after it. */
export type AuditOutcome = (typeof auditOutcomes)[number];
