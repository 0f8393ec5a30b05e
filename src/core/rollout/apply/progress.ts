import type { ApplyFrame } from "../../api/frames.ts";
import type { Releases } from "../../ports/releases.ts";
import { journalsOf, releaseOf, type Journal, type ReleaseEvent } from "../release.ts";

export type ApplyProgress = Omit<ApplyFrame, "type">;

/** `onProgress` gets each line once it is on disk. */
export function reportedReleases(releases: Releases, onProgress: (progress: ApplyProgress) => void): Releases {
  const events: ReleaseEvent[] = [];
  return {
    ...releases,
    async create(id, first) {
      await releases.create(id, first);
      events.push(first);
    },
    async append(id, event) {
      await releases.append(id, event);
      events.push(event);
      const [journal] = journalsOf([events]);
      if (journal !== undefined) onProgress(progressOf(journal, event));
    },
  };
}

function progressOf(journal: Journal, event: ReleaseEvent): ApplyProgress {
  const { id, outcome, code, steps } = releaseOf(journal, 0);
  const at = positionOf(journal, event);
  const { do: kind = "save", app = "", phase = "not-begun", reason } = steps[at] ?? {};
  return {
    release: id,
    step: at + 1,
    of: Math.max(steps.length, 1),
    do: kind,
    app,
    phase,
    ...(reason !== undefined && { reason }),
    ...(event.event === "end" && { outcome, code }),
  };
}

function positionOf({ head, events }: Journal, event: ReleaseEvent): number {
  if (event.event === "step") return event.step;
  const begun = events.flatMap((one) => (one.event === "step" ? [one.step] : []));
  const about = event.event === "return" ? begun.filter((step) => head.steps[step]?.app === event.app) : begun;
  return about.at(-1) ?? 0;
}
