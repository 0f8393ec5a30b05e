import type { Release } from "../api/rollout.ts";
import type { SvcmEvent } from "../api/events.ts";
import type { Ports } from "../ports/index.ts";
import { keptReleases } from "../rollout/releases-now.ts";
import { renderDuration } from "../words/duration-text.ts";

const DAY_MS = 86_400_000;

/**
 * A sentence about the current release of a process, because it may be the reason although it passed its gate. There is
 * no sentence if the process did not end by itself, if the release is a day old, or if the releases cannot be read.
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
