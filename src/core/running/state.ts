import type { ProcessProblem } from "../api/metrics.ts";
import type { ProcessStateName } from "../api/names.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { ProcessFacts, StopFact } from "./facts.ts";
import { restingState, scheduledState } from "./finite-state.ts";
import { appKind, type AppKind } from "./code-evidence.ts";
import { MAY_NOT_LOAD } from "./serving.ts";
import { type CrashLoop, findCrashLoop, MAX_SHORT_RUN_MS, type ObservedRestarts } from "./restarts.ts";

export interface ProcessState {
  readonly name: ProcessStateName;
  /** Continues the name, for example `next 03:00 Europe/Berlin`; null if the name says everything. */
  readonly reason: string | null;
  readonly problem: ProcessProblem | null;
  /** Why svcm cannot tell whether it works: a sentence without its full stop. */
  readonly doubt?: string | undefined;
  /** Of a crash loop. */
  readonly isBrief?: boolean;
  /** Present if a command stopped it. */
  readonly stop?: StopFact | undefined;
}

export interface StateContext {
  /** Milliseconds since 1970. */
  readonly epochMs: number;
  readonly missingFolders: ReadonlySet<string>;
  readonly observed?: ObservedRestarts | undefined;
  readonly facts?: ProcessFacts | undefined;
  /** The declared kind, if it may differ from that of the process. */
  readonly kind?: AppKind | undefined;
}

export type StateOf = (record: ProcessRecord, kind?: AppKind) => ProcessState;

/**
 * The activity of a process, from PM2's record and everything else that is known. Nothing else reads PM2's status to judge a
 * process: `online` does not prove that it runs, and `stopped` may be as declared.
 * @see CONTRACT section 13
 */
export function processState(record: ProcessRecord, context: StateContext): ProcessState {
  const kind = context.kind ?? appKind(record.declaration.settings);
  const { neverSettles = false, restartLoop } = context.facts ?? {};
  if (neverSettles && restartLoop !== undefined && record.status !== "errored")
    return crashLoop(context, { details: restartLoop, isBrief: true });
  const state = isAtRest(record) ? restingState(record, kind, context) : activeState(record, kind, context);
  return state.problem === null ? { ...state, problem: folderMissing(record, context) } : state;
}

/**
 * No process runs, and PM2 starts none by itself except by a schedule. PM2 keeps the pid while a restart is due, and it
 * leaves `waiting restart` on an app with a restart delay that it does not start again.
 */
export function isAtRest({ status, pid }: Pick<ProcessRecord, "status" | "pid">): boolean {
  return status === "errored" || (pid === null && (status === "stopped" || status === "waiting restart"));
}

/**
 * A job or task that is not known to have failed, or an app that PM2 leaves alone after an exit code that it chose.
 * @param wasUp its app ran before: a service that served must not end
 */
export function hasEndedWell(record: ProcessRecord, wasUp = true): boolean {
  const { settings } = record.declaration;
  const isFinite = appKind(settings) !== "service" || (!wasUp && isLeftAlone(record));
  return (
    isFinite && isAtRest(record) && record.status !== "errored" && (!record.exitCode || record.isStopCode === true)
  );
}

/** PM2 stops it by itself only after one of its `stop_exit_codes`. In cluster mode, code 0 proves nothing. */
function isLeftAlone({ status, execMode, declaration }: ProcessRecord): boolean {
  return status === "stopped" && execMode === "fork" && typeof declaration.settings.stopExitCodes === "string";
}

/** Between an end and what follows, PM2 shows the pid of the ended run, and no exit code yet. */
export function isEnding({ status, pid }: Pick<ProcessRecord, "status" | "pid">): boolean {
  return status === "stopped" && pid !== null;
}

/** Also between an end and the next start. */
export function isStopped({ status }: Pick<ProcessRecord, "status">): boolean {
  return status === "stopped" || status === "errored";
}

export function isWithoutPid({ status, pid }: Pick<ProcessRecord, "status" | "pid">): boolean {
  return status === "online" && pid === null;
}

function activeState(record: ProcessRecord, kind: AppKind, context: StateContext): ProcessState {
  const { status } = record;
  const { facts } = context;
  if (isWithoutPid(record)) return withoutPid(record, context);
  if (status === "stopping") return plainState("stopping");
  const loop = findCrashLoop(record, { ...context, endsMs: facts?.endsMs, upSinceMs: facts?.upSinceMs });
  if (loop !== undefined) return crashLoop(context, loop);
  if (status === "online") return onlineState(record, kind, context);
  const isKnown = status === "launching" || status === "stopped" || status === "waiting restart";
  return plainState(isKnown ? "starting" : "unknown", isKnown ? null : `PM2 shows it as ${status}`);
}

function crashLoop({ facts }: StateContext, { details, isBrief }: CrashLoop): ProcessState {
  return { name: "crash loop", reason: null, problem: { code: loopCode(facts), details }, isBrief };
}

function loopCode(facts: ProcessFacts | undefined): ProcessProblem["code"] {
  if (facts?.loopCause === "memory-limit") return "PROCESS_MEMORY_LOOP";
  return facts?.loopCause === "watch" ? "PROCESS_WATCH_LOOP" : "PROCESS_CRASH_LOOP";
}

function onlineState(record: ProcessRecord, kind: AppKind, context: StateContext): ProcessState {
  const { facts } = context;
  const loop = facts?.restartLoop;
  if (loop !== undefined) return { ...plainState("online"), problem: { code: loopCode(facts), details: loop } };
  if (kind !== "service") return scheduledState(record, kind, context);
  if (facts?.notLoaded !== undefined)
    return {
      ...plainState("not loaded"),
      problem: { code: "PROCESS_NOT_LOADED", details: facts.notLoaded },
    };
  if (facts?.hung !== undefined)
    return { ...plainState("hung"), problem: { code: "PROCESS_HUNG", details: facts.hung } };
  return { ...plainState("online"), doubt: facts?.unseen ?? earlyEnd(record, context) };
}

/** PM2 counts the ends soon after a start since the last one that was requested. */
function earlyEnd(
  { unstableRestarts, lastStartAt }: ProcessRecord,
  { epochMs }: Pick<StateContext, "epochMs">,
): string | undefined {
  if (unstableRestarts === 0 || epochMs - (lastStartAt ?? epochMs) > MAX_SHORT_RUN_MS) return undefined;
  return ENDED_EARLY;
}

function withoutPid(record: ProcessRecord, context: StateContext): ProcessState {
  const others = context.facts?.limitedOthers ?? [];
  const limits =
    others.length === 0 ? "" : ` Until it is gone, PM2 does not watch the memory limit of ${others.join(", ")}.`;
  const folder = folderMissing(record, context);
  const problem: ProcessProblem =
    folder === null
      ? {
          code: "PROCESS_WITHOUT_PID",
          details: `PM2 shows it as online, but it does not run: it has no pid.${limits}`,
        }
      : { ...folder, details: `${folder.details}${limits}` };
  return { name: "missing", reason: folder === null ? "no pid" : "no folder", problem };
}

function folderMissing(record: ProcessRecord, { missingFolders }: StateContext): ProcessProblem | null {
  const { cwd } = record;
  if (cwd === null || !missingFolders.has(cwd)) return null;
  const consequence = isWithoutPid(record) ? "PM2 shows it as online, but it does not run." : "Its next start fails.";
  return { code: "PROCESS_FOLDER_MISSING", details: `The folder ${cwd} does not exist. ${consequence}` };
}

export function plainState(name: ProcessStateName, reason: string | null = null): ProcessState {
  return { name, reason, problem: null };
}

/** These are as declared. An unknown state has no step either. */
const IN_PLACE: ReadonlySet<ProcessStateName> = new Set([
  "online",
  "starting",
  "stopping",
  "running",
  "waiting",
  "ended",
  "unknown",
]);

const STILL_STARTING = "it is still starting";
const ENDED_EARLY = "it ended soon after its start, and has not run for long since";
/** Doubts that end by themselves. */
const PASSING: ReadonlySet<string | undefined> = new Set([STILL_STARTING, ENDED_EARLY, MAY_NOT_LOAD.unseen]);

/** With its end, a plan for other apps stays the same. */
export function isPassingDoubt(reason: string): boolean {
  return PASSING.has(reason);
}

/** A reason if nothing shows whether the process works. */
export function stateDoubt({ name, reason, doubt }: ProcessState): string | undefined {
  if (name === "starting") return STILL_STARTING;
  return name === "unknown" ? (reason ?? "PM2 does not say") : doubt;
}

/** A process that ends now and then runs in between. */
export function isInPlace({ name, isBrief }: Pick<ProcessState, "name" | "isBrief">): boolean {
  return IN_PLACE.has(name) || (name === "crash loop" && isBrief === false);
}
