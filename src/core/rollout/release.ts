import type { Release } from "../api/rollout.ts";
import type { AppProbe } from "./settings/probe.ts";

type ReleaseStep = Release["steps"][number];

/** `20261122-044103-b8f9`, which sorts by time. */
export const RELEASE_ID = /^\d{8}-\d{6}-[0-9a-f]{4}$/;

/** A process as it was before a release. It contains a digest of its definition, but no values. */
export interface FormerProcess {
  readonly name: string;
  readonly pmId: number;
  readonly uniqueId: string | null;
  readonly pid: number | null;
  readonly isStopped: boolean;
  readonly definition: string;
  /** The probe that the process passed before the release. */
  readonly probe?: AppProbe;
}

/** An app as an apply left it. It contains names of variables, but no values. */
export interface LeftApp {
  readonly environment: string;
  readonly service: string;
  /** The variables that its declaration sets. */
  readonly keys: readonly string[];
  readonly probe?: AppProbe;
  /** The time that its slowest process took to be ready when an apply last started it, in milliseconds. */
  readonly bootMs?: number;
  /** Copies of the env files that its processes read. */
  readonly envFiles: readonly EnvFileCopy[];
  /** The release since which its processes read such copies; the next apply ends that. */
  readonly pinnedBy?: string;
}

export interface EnvFileCopy {
  readonly path: string;
  /** In the folder of the releases: `<release>/env/<number>`. */
  readonly copy: string;
}

/** The state in which the applies of this repository left each app. */
export interface Left {
  readonly apps: Readonly<Record<string, LeftApp>>;
  /** When an apply ran without saving PM2's list, in milliseconds since 1970. */
  readonly unsavedAtMs?: number;
}

/** The first line of a journal. */
export interface ReleaseHead extends Omit<Release, "endedAt" | "outcome" | "code" | "steps"> {
  readonly event: "release";
  readonly steps: readonly Pick<ReleaseStep, "do" | "app" | "pmIds">[];
  /** The processes of the affected apps. */
  readonly before: readonly FormerProcess[];
  /** The previous names of apps that the release renames, by their new names. */
  readonly renamed?: Readonly<Record<string, string>> | undefined;
  /** The state in which the previous release left the apps. */
  readonly left: Left;
}

/** A line of a journal. Times are in ISO format. */
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
  | {
      readonly event: "end";
      readonly outcome: Release["outcome"];
      readonly at: string;
      readonly code?: string;
      /** Absent if the release did not change the apps. */
      readonly left?: Left;
    };

export interface Journal {
  readonly head: ReleaseHead;
  readonly events: readonly ReleaseEvent[];
}

/** The journals whose first line is complete. */
export function journalsOf(lists: readonly (readonly ReleaseEvent[])[]): Journal[] {
  return lists.flatMap((events) => {
    const head = events.find((event) => event.event === "release");
    return head === undefined ? [] : [{ head, events }];
  });
}

/** The name of an app in a release, and its name before or after a rename by that release. */
export function namesIn({ renamed = {} }: Pick<ReleaseHead, "renamed">, app: string): string[] {
  return [
    app,
    ...Object.entries(renamed).flatMap((pair) => (pair.includes(app) ? pair.filter((name) => name !== app) : [])),
  ];
}

/** The apps as the newest release left them. */
export function leftBy([newest]: readonly Journal[]): Left {
  if (newest === undefined) return { apps: {} };
  const end = newest.events.findLast((event) => event.event === "end");
  return end?.left ?? newest.head.left;
}

/** The releases with a copy of an env file that a process reads, or that undoing a kept release needs. */
export function releasesInUse(journals: readonly Journal[], left: Left): Set<string> {
  const all = [left, ...journals.map(({ head }) => head.left)].flatMap(({ apps }) => Object.values(apps));
  return new Set(all.flatMap(({ envFiles }) => envFiles.map(({ copy }) => copy.split("/")[0] ?? "")));
}

/**
 * The release of a journal. Without a final event, it is still running, or was interrupted and may be half done.
 *
 * @param heldSince when the lock was taken, in milliseconds since 1970; null if it is free
 */
export function releaseOf({ head, events }: Journal, heldSince: number | null): Release {
  const { event: _event, before: _before, renamed: _renamed, left: _left, steps, ...common } = head;
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

/** If a step was interrupted, svcm did not see its result, so the step counts as failed. */
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
