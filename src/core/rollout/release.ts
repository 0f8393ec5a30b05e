import { ownMember } from "../words/record.ts";
import type { Release, ReleaseFailure } from "../api/rollout.ts";
import { isGranted, type Caller } from "../access/operation.ts";
import type { ProcessIdentity } from "../pm2/process-record.ts";
import { isInherited } from "../pm2/declared.ts";
import { omitUndefined } from "../api/omit-undefined.ts";
import type { AppProbe } from "./settings.ts";
import { isAppStep } from "./step.ts";

type ReleaseStep = Release["steps"][number];

/** `20261122-044103-b8f9`, which sorts by time. */
export const RELEASE_ID = /^\d{8}-\d{6}-[0-9a-f]{4}$/;

/** Contains no values. */
export interface FormerProcess {
  readonly name: string;
  readonly pmId: number;
  readonly uniqueId: string | null;
  readonly pid: number | null;
  readonly isStopped: boolean;
  /** It did not stay up before either, so a revert restores its definition only. */
  readonly isFailing?: boolean;
  /** svcm knew whether it worked. */
  readonly isUndoubted?: boolean;
  /** Absolute paths that a start with the former definition needs. */
  readonly paths?: readonly string[];
  readonly definition: string;
  readonly probe?: AppProbe;
}

/** Contains names of variables, but no values. */
export interface AppliedApp {
  readonly environment: string;
  readonly service: string;
  readonly keys: readonly string[];
  /** PM2's unique ids of its processes at the end of the apply. */
  readonly processes?: readonly string[];
  readonly probe?: AppProbe;
  /** The time of the slowest process when an apply last started the app. */
  readonly bootMs?: number;
  readonly envFiles: readonly EnvFileCopy[];
  /** The ids of processes that are known to have read these copies. Absent in the record of an older svcm. */
  readonly readBy?: readonly number[];
  /** A process was started again after a change, so it may have read something else than the copies. */
  readonly mayDiffer?: true;
  /** The release since which its processes read copies of env files. */
  readonly pinnedBy?: string;
}

export interface EnvFileCopy {
  readonly path: string;
  /** In the folder of the releases: `<release>/env/<number>`. */
  readonly copy: string;
}

export interface AppliedState {
  readonly apps: Readonly<Record<string, AppliedApp>>;
  /** When an apply ran without saving PM2's list. */
  readonly unsavedAtMs?: number;
}

/** Of processes that were started without an apply. */
export interface ReadEvent {
  readonly event: "read";
  readonly at: string;
  readonly apps: Readonly<Record<string, Required<Pick<AppliedApp, "envFiles" | "readBy">>>>;
}

export interface ReleaseHead extends Omit<
  Release,
  "endedAt" | "outcome" | "code" | "failure" | "unknown" | "steps" | "cannotUndo"
> {
  readonly event: "release";
  /** Absent in the record of an older svcm. */
  readonly cannotUndo?: Release["cannotUndo"];
  readonly steps: readonly Pick<ReleaseStep, "do" | "app" | "pmIds" | "newCode">[];
  readonly before: readonly FormerProcess[];
  readonly renamed?: Readonly<Record<string, string>> | undefined;
  readonly left: AppliedState;
  /** The checkout that made it. Absent in the record of an older svcm. */
  readonly root?: string;
}

export type ReleaseEvent =
  | ReleaseHead
  | ReadEvent
  | {
      readonly event: "step";
      readonly step: number;
      readonly phase: "begun" | "done" | "failed";
      readonly at: string;
      readonly reason?: string;
      /** Of the processes that the step started. */
      readonly pmIds?: readonly number[];
    }
  | { readonly event: "return"; readonly app: string; readonly at: string; readonly reason?: string }
  /** After the last step. The end has it, too, unless svcm was killed before. */
  | { readonly event: "left"; readonly left: AppliedState }
  | {
      readonly event: "end";
      readonly outcome: Release["outcome"];
      readonly at: string;
      readonly code?: string;
      readonly failure?: ReleaseFailure;
      readonly unknown?: Release["unknown"];
      /** Absent if the release did not change the apps. */
      readonly left?: AppliedState;
    };

type EndEvent = Extract<ReleaseEvent, { readonly event: "end" }>;

export interface Journal {
  readonly head: ReleaseHead;
  readonly events: readonly ReleaseEvent[];
}

export function toJournals(lists: readonly (readonly ReleaseEvent[])[]): Journal[] {
  return lists.flatMap((events) => {
    const head = events.find((event) => event.event === "release");
    return head === undefined ? [] : [{ head, events }];
  });
}

/** Variables that the last apply set. A process that was created since may have inherited one of that name. */
export function formerKeys(applied: AppliedApp | undefined, { uniqueId }: ProcessIdentity): readonly string[] {
  if (applied === undefined) return [];
  const { keys, processes } = applied;
  const isSince = processes !== undefined && uniqueId !== null && !processes.includes(uniqueId);
  return isSince ? keys.filter((key) => !isInherited(key)) : keys;
}

/** Also the name before or after a rename. */
export function namesOfApp({ renamed = {} }: Pick<ReleaseHead, "renamed">, app: string): string[] {
  return [
    app,
    ...Object.entries(renamed).flatMap((pair) => (pair.includes(app) ? pair.filter((name) => name !== app) : [])),
  ];
}

export function envFileCopies({ left }: Pick<ReleaseHead, "left">, names: readonly string[]): EnvFileCopy[] {
  return names.flatMap((name) => ownMember(left.apps, name)?.envFiles ?? []);
}

export function findAppliedState(journals: readonly Journal[]): AppliedState {
  const [newest] = journals;
  if (newest === undefined) return { apps: {} };
  const last = newest.events.findLast((event) => event.event === "left");
  const { unsavedAtMs: declined, apps } = endOf(newest)?.left ?? last?.left ?? newest.head.left;
  const unsavedAtMs = findUnsaved(journals) ?? declined;
  return { apps: withLaterReads(apps, newest), ...(unsavedAtMs !== undefined && { unsavedAtMs }) };
}

function withLaterReads(apps: AppliedState["apps"], newest: Journal): AppliedState["apps"] {
  const read = newest.events.findLast((event) => event.event === "read");
  const end = endOf(newest);
  if (read === undefined || (end?.left !== undefined && end.at > read.at)) return apps;
  return Object.fromEntries(
    Object.entries(apps).map(([name, { mayDiffer, ...app }]) => {
      const own = ownMember(read.apps, name);
      return [name, own === undefined ? { ...app, ...(mayDiffer && { mayDiffer }) } : { ...app, ...own }];
    }),
  );
}

/** @param own the processes of the app that live */
export function hasReadCopies({ readBy }: Pick<AppliedApp, "readBy">, own: readonly { readonly pid: number | null }[]) {
  return readBy !== undefined && own.every(({ pid }) => pid !== null && readBy.includes(pid));
}

function endOf({ events }: Journal) {
  return events.findLast((event) => event.event === "end");
}

/** When the newest release that did not save PM2's list last changed an app, unless a later one saved it. */
function findUnsaved(journals: readonly Journal[]): number | undefined {
  for (const journal of journals) {
    if (hasSaved(journal)) return undefined;
    const outcome = endOf(journal)?.outcome;
    // PM2's list describes the processes again, or still.
    if (outcome === "reverted" || outcome === "refused") continue;
    const change = journal.events.findLast(
      (event) => event.event === "step" && isAppStep(journal.head.steps[event.step] ?? { do: "save" }),
    );
    if (change?.event === "step") return Date.parse(change.at);
  }
  return undefined;
}

/** A rollback saves the list before it ends, and has no step for it. */
function hasSaved({ head, events }: Journal): boolean {
  if (head.undoes !== undefined) return events.some((event) => event.event === "end");
  return events.some(
    (event) => event.event === "step" && event.phase === "done" && head.steps[event.step]?.do === "save",
  );
}

/**
 * A process reads a copy of an env file in these, or undoing a kept release needs one. A copy that only a release
 * beyond the kept ones would need does not count, or the chain would never end.
 * @param kept the newest releases
 */
export function releasesInUse(kept: readonly Journal[], left: AppliedState): Set<string> {
  const all = [left, ...kept.map(({ head }) => head.left)].flatMap(({ apps }) => Object.values(apps));
  return new Set(all.flatMap(({ envFiles }) => envFiles.map(({ copy }) => copy.split("/")[0] ?? "")));
}

/**
 * Without a final event, it is still running, or was interrupted and may be half done.
 * @param heldSince when the lock was taken, in milliseconds since 1970; null if it is free
 */
export function toRelease(journal: Journal, heldSince: number | null): Release {
  const { head, events } = journal;
  const { event: _event, before: _before, renamed: _renamed, left: _left, root: _root, ...released } = head;
  const { steps, cannotUndo = [], ...common } = released;
  const isHeld = heldSince !== null && heldSince <= Date.parse(head.startedAt);
  const end = findEnd(journal, isHeld);
  const isRunning = end === undefined && isHeld;
  return {
    ...common,
    endedAt: end?.at ?? null,
    outcome: end?.outcome ?? (isRunning ? "running" : "half"),
    ...omitUndefined({ code: end?.code, failure: end?.failure, unknown: end?.unknown }),
    steps: steps.map((step, index) => ({
      ...step,
      ...readPhase(events, index, { ...step, isRunning }),
      ...readResult(events, index),
    })),
    cannotUndo,
  };
}

function findEnd(journal: Journal, isHeld: boolean): EndEvent | undefined {
  return endOf(journal) ?? (isHeld ? undefined : endAfterSteps(journal));
}

/** Each step was seen to be done, and svcm was killed before its last look. A rollback has more to do after its steps. */
function endAfterSteps({ head: { steps, undoes }, events }: Journal): EndEvent | undefined {
  const done = events.flatMap((event) => (event.event === "step" && event.phase === "done" ? [event] : []));
  const last = done.at(-1);
  if (last === undefined || done.length < steps.length || undoes !== undefined) return undefined;
  const unknown = steps.flatMap((step, index) => {
    const { pmIds } = { ...step, ...readResult(events, index) };
    const reason = "svcm ended before its last look";
    return isAppStep(step) && step.do !== "remove" ? [{ app: step.app, pmIds, part: "state" as const, reason }] : [];
  });
  return { event: "end", outcome: "applied", at: last.at, unknown };
}

function readResult(
  events: readonly ReleaseEvent[],
  index: number,
): Partial<Pick<ReleaseStep, "pmIds" | "durationMs">> {
  const own = events.flatMap((event) => (event.event === "step" && event.step === index ? [event] : []));
  const begun = own.find(({ phase }) => phase === "begun");
  const end = own.findLast(({ phase }) => phase !== "begun");
  if (end === undefined) return {};
  // The clock may have been set in between.
  const durationMs = begun && Math.max(0, Date.parse(end.at) - Date.parse(begun.at));
  return omitUndefined({ pmIds: end.pmIds && [...end.pmIds], durationMs });
}

/** Logs have their own right. */
export function withoutLogs(release: Release, { grants, limits }: Pick<Caller, "grants" | "limits">): Release {
  const { failure, environment } = release;
  if (failure === undefined) return release;
  const { environments = [environment], services } = limits ?? {};
  // A release does not contain the services of its apps.
  if (isGranted(grants, "logs") && services === undefined && environments.includes(environment)) return release;
  return { ...release, failure: { ...failure, errorLines: [] } };
}

const CUT_OFF = "svcm ended before it saw the result.";

/** svcm did not see the result of an interrupted step, so it counts as failed. */
function readPhase(
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
  return { phase: "failed", ...(last.phase === "begun" ? { reason: CUT_OFF } : why) };
}
