import type { Release } from "../api/rollout.ts";
import type { SvcmEvent } from "../api/events.ts";
import type { Ports } from "../ports/index.ts";
import { keptReleases } from "../rollout/releases-now.ts";
import { renderDuration } from "../words/duration-text.ts";

const DAY_MS = 86_400_000;

/**
 * A sentence about the release that a process runs, if it was applied less than a day before the process ended by itself. It
 * passed its gate, and may be the reason. Releases that cannot be read must not hide the cause.
 */
export async function releaseBefore(
  { releases }: Pick<Ports, "releases">,
  { app, at }: Pick<SvcmEvent, "app" | "at">,
): Promise<string[]> {
  const kept = await keptReleases(releases).catch(() => []);
  const newest = kept.find(
    ({ outcome, steps }) => outcome === "applied" && steps.some((step) => hasChanged(step, app)),
  );
  if (newest === undefined) return [];
  const { id, endedAt, startedAt } = newest;
  const beforeMs = Date.parse(at) - Date.parse(endedAt ?? startedAt);
  if (Date.parse(at) < Date.parse(startedAt) || beforeMs > DAY_MS) return [];
  const age = renderDuration(Math.max(0, beforeMs));
  return [`The release ${id} was applied ${age} before this end. To undo it: svcm rollback ${id}`];
}

function hasChanged(step: Release["steps"][number], app: string | null): boolean {
  return step.app === app && step.phase === "done" && step.do !== "preflight";
}
