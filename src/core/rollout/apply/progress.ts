import type { ApplyFrame } from "../../api/frames.ts";
import type { Releases } from "../ports.ts";
import { toJournals, toRelease, type Journal, type ReleaseEvent } from "../release.ts";

export type ApplyProgress = Omit<ApplyFrame, "type">;

/** `onProgress` gets each line once it is on disk. A rollback records the return of an app within its step, which adds nothing. */
export function withProgress(releases: Releases, onProgress: (progress: ApplyProgress) => void): Releases {
  const events: ReleaseEvent[] = [];
  let told = "";
  return {
    ...releases,
    async create(id, first) {
      await releases.create(id, first);
      events.push(first);
    },
    async append(id, event) {
      await releases.append(id, event);
      events.push(event);
      const [journal] = toJournals([events]);
      if (journal === undefined) return;
      const progress = createProgress(journal, event);
      const text = JSON.stringify(progress);
      if (text !== told) onProgress(progress);
      told = text;
    },
  };
}

function createProgress(journal: Journal, event: ReleaseEvent): ApplyProgress {
  const { id, outcome, code, steps } = toRelease(journal, 0);
  const at = findPosition(journal, event);
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

function findPosition({ head, events }: Journal, event: ReleaseEvent): number {
  if (event.event === "step") return event.step;
  const startedSteps = events.flatMap((one) => (one.event === "step" ? [one.step] : []));
  const relevant =
    event.event === "return" ? startedSteps.filter((step) => head.steps[step]?.app === event.app) : startedSteps;
  return relevant.at(-1) ?? 0;
}
