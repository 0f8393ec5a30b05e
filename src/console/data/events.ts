import type { SvcmEvent } from "../../core/api/events.ts";

export function isFailure({ kind, cause }: SvcmEvent): boolean {
  return kind === "exit" || cause === "memory-limit";
}
