import type { Release } from "../api/rollout.ts";

type ReleaseStep = Release["steps"][number];

/** A process as it was before a release. It holds a digest of its definition, never a value. */
export interface FormerProcess {
  readonly name: string;
  readonly pmId: number;
  readonly uniqueId: string | null;
  readonly isStopped: boolean;
  readonly definition: string;
}

/** The first line of a journal. */
export interface ReleaseHead extends Omit<Release, "endedAt" | "outcome" | "code" | "steps"> {
  readonly event: "release";
  readonly steps: readonly Pick<ReleaseStep, "do" | "app" | "pmIds">[];
  /** The processes of the touched apps. */
  readonly before: readonly FormerProcess[];
}

/** A line of a journal. Times are ISO texts. */
export type ReleaseEvent =
  | ReleaseHead
  | {
      readonly event: "step";
      readonly step: number;
      readonly phase: "begun" | "done" | "failed";
      readonly at: string;
      readonly reason?: string;
    }
  | { readonly event: "return"; readonly app: string; readonly at: string; readonly reason?: string }
  | { readonly event: "end"; readonly outcome: Release["outcome"]; readonly at: string; readonly code?: string };

export interface Journal {
  readonly head: ReleaseHead;
  readonly events: readonly ReleaseEvent[];
}

/** The journals whose first line is whole. */
export function journalsOf(lists: readonly (readonly ReleaseEvent[])[]): Journal[] {
  return lists.flatMap((events) => {
    const head = events.find((event) => event.event === "release");
    return head === undefined ? [] : [{ head, events }];
  });
}

/**
 * The release of a journal. One without an end runs, or it was cut off and may be half done.
 *
 * @param heldSince when the lock was taken, in milliseconds since 1970; null if it is free
 */
export function releaseOf({ head, events }: Journal, heldSince: number | null): Release {
  const { event: _event, before: _before, steps, ...common } = head;
  const end = events.findLast((event) => event.event === "end");
  const isRunning = end === undefined && heldSince !== null && heldSince <= Date.parse(head.startedAt);
  return {
    ...common,
    endedAt: end?.at ?? null,
    outcome: end?.outcome ?? (isRunning ? "running" : "half"),
    ...(end?.code !== undefined && { code: end.code }),
    steps: steps.map((step, index) => ({ ...step, ...phaseOf(events, index, { ...step, isRunning }) })),
  };
}

/** PM2's list was not seen after a step that was cut off, so it counts as failed. */
function phaseOf(
  events: readonly ReleaseEvent[],
  index: number,
  { do: kind, app, isRunning }: ReleaseHead["steps"][number] & { readonly isRunning: boolean },
): Pick<ReleaseStep, "phase" | "reason"> {
  const last = events.findLast((event) => event.event === "step" && event.step === index);
  if (last?.event !== "step") return { phase: "not-begun" };
  const returned = events.findLast((event) => event.event === "return" && event.app === app);
  const isReturned = returned?.event === "return" && returned.reason === undefined;
  const why = last.reason === undefined ? {} : { reason: last.reason };
  if (isReturned && kind !== "return") return { phase: "reverted", ...why };
  if (last.phase === "done" || (last.phase === "begun" && isRunning)) return { phase: last.phase };
  return { phase: "failed", ...why };
}
