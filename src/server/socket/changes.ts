import type { ChangesFrame } from "../../core/api/frames.ts";
import type { MetricsPayload, ProcessMetrics } from "../../core/api/metrics.ts";

type Members = Readonly<Record<string, unknown>>;

/** Returns undefined unless the second payload has the same processes with the same members, in the same order. */
export function changesBetween(before: MetricsPayload, now: MetricsPayload): ChangesFrame | undefined {
  const { processes: earlier, ...rest } = before;
  const { processes: later, ...next } = now;
  const payload = changedMembers(rest, next);
  if (payload === undefined || earlier.length !== later.length) return undefined;
  const processes: Members[] = [];
  for (const [at, process] of later.entries()) {
    const changed = isSame(earlier[at], process) ? changedMembers(earlier[at], process) : undefined;
    if (changed === undefined) return undefined;
    processes.push(changed);
  }
  return { type: "changes", payload, processes };
}

function isSame(before: ProcessMetrics | undefined, { name, pmId }: ProcessMetrics): before is ProcessMetrics {
  return before?.name === name && before.pmId === pmId;
}

/** Returns undefined if a member came or left, because a difference cannot say that. */
function changedMembers(before: object, now: object): Members | undefined {
  const earlier = new Map(Object.entries(before));
  const later = Object.entries(now);
  if (earlier.size !== later.length) return undefined;
  if (later.some(([name, value]) => value === undefined || earlier.get(name) === undefined)) return undefined;
  return Object.fromEntries(later.filter(([name, value]) => !isEqual(earlier.get(name), value)));
}

function isEqual(before: unknown, now: unknown): boolean {
  if (before === now) return true;
  return typeof now === "object" && JSON.stringify(before) === JSON.stringify(now);
}
