import type { Repository } from "./repository.ts";
import type { Unit } from "./unit.ts";

/** The content of a unit at an earlier look of this svcm, so before what it has started since. */
export interface Seen {
  readonly atMs: number;
  /** `undefined` if they are no longer known. */
  readonly digests: () => ReadonlyMap<string, string> | undefined;
}

interface SeenContext {
  readonly unit: Unit;
  readonly repository: Repository | undefined;
  readonly seen: Seen | undefined;
}

/** In a longer time, other code can come, be started, and go again. */
const MAX_SEEN_MS = 60_000;

/** The content before the start, if all of it is still in place. */
export function unchangedSince(
  { seen, repository, unit }: SeenContext,
  sinceMs: number,
): ReadonlyMap<string, string> | undefined {
  if (seen === undefined) return undefined;
  const { atMs } = seen;
  if (atMs >= sinceMs || atMs < sinceMs - MAX_SEEN_MS) return undefined;
  if (repository?.moves().some((move) => move.atMs >= atMs - 1000) === true) return undefined;
  const { digests, rules } = unit;
  if (typeof digests === "string") return undefined;
  const before = seen.digests();
  const isSame = (path: string, digest: string): boolean =>
    digests.get(path) === digest || rules.own?.has(path) === true;
  const isUnchanged = before !== undefined && [...before].every(([path, digest]) => isSame(path, digest));
  return isUnchanged ? before : undefined;
}
