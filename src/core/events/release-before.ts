import type { Release } from "../api/rollout.ts";
import type { SvcmEvent } from "../api/events.ts";
import type { Releases } from "../ports/releases.ts";
import { keptReleases } from "../rollout/releases-now.ts";
import { renderDuration } from "../words/duration.ts";

const DAY_MS = 86_400_000;

/**
 * The release may be the reason although it passed its gate. It is not named if it was a day old, if the process did
 * not end by itself, or if the releases cannot be read.
 */
export async function releaseBefore(
  { releases }: { readonly releases: Pick<Releases, "heldSince" | "list"> },
  { app, at }: Pick<SvcmEvent, "app" | "at">,
): Promise<string[]> {
  const kept = await keptReleases(releases).catch(() => []);
  const endMs = Date.parse(at);
  const changes = kept.filter(({ steps }) => steps.some((step) => hasChanged(step, app)));
  const before = changes.find(({ startedAt }) => Date.parse(startedAt) <= endMs);
  if (before?.outcome !== "applied") return [];
  const { id, endedAt, startedAt } = before;
  const ageMs = endMs - Date.parse(endedAt ?? startedAt);
  if (ageMs > DAY_MS) return [];
  const [newest = before] = changes;
  const next =
    newest === before ? `To undo it: svcm rollback ${id}` : `The release ${newest.id} has changed ${app} since.`;
  return [`The release ${id} was applied ${renderDuration(Math.max(0, ageMs))} before this end. ${next}`];
}

function hasChanged(step: Release["steps"][number], app: string | null): boolean {
  return step.app === app && step.phase === "done" && step.do !== "preflight";
}
