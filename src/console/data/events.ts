import type { SvcmEvent } from "../../core/api/events.ts";

export function isFailure({ kind, cause }: SvcmEvent): boolean {
  return kind === "exit" || cause === "memory-limit";
}

/** Kinds of events that are records of the audit log. */
export const AUDITED_KINDS: ReadonlySet<string> = new Set(["action", "write", "apply", "deploy"]);

/** Equal for events that differ only in their times, their evidence and their records. */
export function eventKey({ at: _at, evidence: _evidence, auditId: _id, ...event }: SvcmEvent): string {
  return JSON.stringify(event);
}
