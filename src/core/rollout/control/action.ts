import type { ApplyPorts } from "../ports.ts";
import type { SkippedProcess, ProcessRecord } from "../../pm2/process-record.ts";
import type { InputOf } from "../../api/inputs.ts";
import type { Issue } from "../../api/issue.ts";
import type { DriftEntry } from "../../api/drift.ts";
import type { ProcessAction, ProcessScope } from "../../api/names.ts";
import { listenTimeoutMs } from "../../pm2/settings.ts";
import type { HasProcesses, NextRun, ProcessName, Processes } from "../../pm2/port-processes.ts";
import type { HasWorkspace } from "../../project/port-repository.ts";
import type { Attempt, AuditSubject } from "../../access/with-audit.ts";
import type { HasClock } from "../../files/ports.ts";
import { SvcmError } from "../../api/errors.ts";
import {
  isAlreadyDone,
  isBetweenRuns,
  isLaunching,
  type PreviousRun,
  POLL_INTERVAL_MS,
  DEFAULT_TIMEOUT_MS,
} from "./verify.ts";

export type ActionInput = InputOf<"process.act"> & { readonly scope: ProcessScope };

export interface ActionContext {
  readonly ports: ApplyPorts;
  readonly action: ProcessAction;
  /** Records the action before its first effect; further calls do nothing. */
  readonly begin: () => Promise<void>;
  readonly timeoutMs?: number | undefined;
  readonly stableMs?: number | undefined;
  readonly nextRun?: ((record: ProcessRecord) => NextRun) | undefined;
  /** A reload fails as soon as its new run fails, while PM2 still keeps the old run. */
  readonly reloadWatch?: ReloadWatch | undefined;
  /** Runs before another svcm process may act on the process. */
  readonly checkHealth?: ((affected: readonly AffectedProcess[]) => Promise<void>) | undefined;
}

export interface ReloadWatch {
  readonly observe: (now: ProcessRecord) => Promise<void>;
  /** Gets PM2's pending response if the reload has already failed. */
  readonly onPendingReload: (target: ProcessRecord, answer: Promise<unknown>) => void;
}

export type ReadRecord = () => Promise<ProcessRecord>;

export interface AffectedProcess extends ProcessName {
  readonly pid: number | null;
}

export interface Outcome {
  readonly affected: readonly AffectedProcess[];
  readonly skipped: readonly SkippedProcess[];
}

export interface Act {
  readonly label: string;
  /** Acts of one app run in sequence and stop at the first failure. */
  readonly app?: string;
  readonly run: () => Promise<Outcome>;
}

export interface Acts {
  readonly name: string;
  readonly create: (acting: ActionContext) => Act[];
  readonly skipped: readonly SkippedProcess[];
  readonly readEffect: () => Promise<Effect>;
}

export interface AppliedField {
  readonly name: string;
  readonly field: DriftEntry["field"];
  readonly key: string | null;
}

export interface Effect {
  readonly applied?: readonly AppliedField[];
  readonly warnings: readonly Issue[];
}

export function toAffected({ name, pmId, namespace, pid, status }: ProcessRecord): AffectedProcess {
  return { name, pmId, namespace, pid, status };
}

export function mergeOutcomes(outcomes: readonly Outcome[]): Outcome {
  return {
    affected: outcomes.flatMap((outcome) => outcome.affected),
    skipped: outcomes.flatMap((outcome) => outcome.skipped),
  };
}

export function createActionSubject(input: InputOf<"process.act">): AuditSubject {
  const { action, scope = "process", namespace } = input;
  const requested = scope === "namespace" ? (namespace ?? input.name) : describeProcesses(input);
  const target = scope === "process" ? requested : `${scope} ${requested ?? "*"}`;
  return { action: `process.${action}`, ...(target !== undefined && { target }) };
}

function describeProcesses({ name, pmId, names = [], pmIds = [] }: InputOf<"process.act">): string | undefined {
  const numbers = [...(pmId === undefined || name !== undefined ? [] : [pmId]), ...pmIds];
  const all = [...(name === undefined ? [] : [name]), ...names, ...numbers.map((number) => `id ${number}`)];
  return all.length === 0 ? undefined : all.join(", ");
}

export type NamedProcess = { readonly name: string; readonly pmId: number | null };

export function noteProcesses(
  { note }: Attempt,
  { workspace }: HasWorkspace,
  processes: readonly NamedProcess[],
): void {
  note({ processes: processes.map(({ name, pmId }) => ({ name, pmId, pm2Home: workspace.pm2Home })) });
}

export function noteOutcome(
  attempt: Attempt,
  ports: HasWorkspace,
  { affected, skipped }: { readonly affected: readonly AffectedProcess[]; readonly skipped: readonly SkippedProcess[] },
): void {
  noteProcesses(
    attempt,
    ports,
    [...affected, ...skipped].toSorted((a, b) => a.pmId - b.pmId),
  );
  const [first] = skipped;
  if (affected.length === 0 && first !== undefined) attempt.note({ code: first.reason });
}

export const MAX_ATTEMPTS = 5;

export interface RequestedAction {
  readonly action: ProcessAction;
  readonly before: PreviousRun;
}

interface LaunchOptions {
  readonly first: ProcessRecord;
  readonly readCurrent: ReadRecord;
  readonly deadlineMs: number;
  readonly isSettled: (before: ProcessRecord, now: ProcessRecord) => boolean;
}

/**
 * PM2 cannot stop an app that it is launching, and it launches an app forever that always ends before it is ready. Such
 * a run is suspended: PM2 then waits for it until `listen_timeout` and no longer treats it as launching.
 */
export async function settleLaunch(
  { processes, clock }: HasClock & HasProcesses,
  { first, readCurrent, deadlineMs, isSettled }: LaunchOptions,
): Promise<{ readonly now: ProcessRecord; readonly suspended?: SuspendedRun | undefined }> {
  const launchMs = listenTimeoutMs(first.declaration.settings);
  let suspended: SuspendedRun | undefined;
  for (let [before, now] = [first, await readCurrent()]; ; [before, now] = [now, await readCurrent()]) {
    const nowMs = clock.elapsed();
    const isLate = nowMs >= deadlineMs;
    if (isLate && suspended !== undefined && isLaunching(now)) await processes.suspend(suspended, false);
    if (isSettled(before, now) || isLate) return { now, suspended };
    // A worker of a cluster reports to PM2 some time after its start.
    const hasReported = now.execMode !== "cluster" || now.pid === before.pid;
    if (isLaunching(now) && now.restartCount > first.restartCount && hasReported)
      suspended = await suspendOrResume(processes, { pid: now.pid, sinceMs: nowMs }, suspended, launchMs);
    await clock.sleep(POLL_INTERVAL_MS);
  }
}

type SuspendedRun = Pick<ProcessRecord, "pid"> & { readonly sinceMs: number };

/** PM2 would wait forever for a run that was suspended before it reported to PM2, so that run goes on until the next look. */
async function suspendOrResume(
  processes: Pick<Processes, "suspend">,
  now: SuspendedRun,
  suspended: SuspendedRun | undefined,
  launchMs: number,
): Promise<SuspendedRun | undefined> {
  const isSame = suspended?.pid === now.pid;
  if (isSame && now.sinceMs - suspended.sinceMs <= launchMs) return suspended;
  await processes.suspend(now, !isSame);
  return isSame ? undefined : now;
}

/** A process on which one action after another is tried. */
export class Target {
  readonly readCurrent: ReadRecord;
  readonly #context: Pick<ActionContext, "ports" | "timeoutMs">;
  #suspended: SuspendedRun | undefined;

  constructor(context: Pick<ActionContext, "ports" | "timeoutMs">, readCurrent: ReadRecord) {
    this.#context = context;
    this.readCurrent = readCurrent;
  }

  /**
   * During a launch, PM2 (7.0.4, `God.executeApp`) mistakes the end that a stop causes for a crash, and starts the
   * process again.
   * @throws {SvcmError} PROCESS_ACTION_REFUSED with the code `APP_NEVER_SETTLES`
   */
  async settle(): Promise<ProcessRecord> {
    const { readCurrent } = this;
    const { ports, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#context;
    const first = await readCurrent();
    if (isLaunched(first, first)) return first;
    const deadlineMs = ports.clock.elapsed() + timeoutMs;
    const { now, suspended } = await settleLaunch(ports, { first, readCurrent, deadlineMs, isSettled: isLaunched });
    this.#suspended = suspended;
    if (isLaunching(now)) throw neverSettles(now, timeoutMs);
    return now;
  }

  /** Also a refused action leaves no suspended process. */
  async resume(): Promise<void> {
    if (this.#suspended !== undefined) await this.#context.ports.processes.suspend(this.#suspended, false);
  }
}

function isLaunched(_: ProcessRecord, now: ProcessRecord): boolean {
  return !isLaunching(now) && !isBetweenRuns(now);
}

const REQUESTS: Readonly<
  Record<ProcessAction, (processes: Processes, target: ProcessRecord, run?: NextRun) => Promise<ProcessRecord | void>>
> = {
  start: (processes, target) => processes.start(target),
  stop: (processes, target) => processes.stop(target),
  restart: (processes, target, run) => processes.restart(target, run),
  reload: (processes, target, run) => processes.reload(target, run),
  delete: (processes, target) => processes.remove(target),
};

/**
 * PM2 refuses an action if it has just restarted the process itself; the list then shows whether the action is done.
 * @throws {SvcmError} PM2_FAILED, with PM2's message if it refuses every time; PROCESS_ACTION_REFUSED
 */
export async function requestAction(
  context: ActionContext,
  before: ProcessRecord,
  target: Target,
): Promise<RequestedAction> {
  const { ports, action, nextRun } = context;
  let latest = before;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const found = latest;
      const answer = await retryWhileBusy(context, () => REQUESTS[action](ports.processes, found, nextRun?.(found)));
      return { action, before: answer ?? found };
    } catch (error) {
      if (!(error instanceof SvcmError) || !RETRYABLE_CODES.has(error.body.code ?? "")) throw error;
      const current = await target.readCurrent();
      // A process that PM2 restarted by itself may not run as declared.
      if (nextRun === undefined && isAlreadyDone(action, before, current)) return { action: "start", before: current };
      if (attempt === MAX_ATTEMPTS) throw repeatedRefusal(action, error, current);
      latest = await target.settle();
    }
  }
}

/** PM2 refuses while it is busy with an earlier reload. */
async function retryWhileBusy<T>(
  { ports, timeoutMs = DEFAULT_TIMEOUT_MS }: ActionContext,
  request: () => Promise<T>,
): Promise<T> {
  const deadline = ports.clock.elapsed() + timeoutMs;
  for (;;) {
    try {
      return await request();
    } catch (error) {
      const isBusy = error instanceof SvcmError && RELOAD_IN_PROGRESS.test(error.body.details ?? "");
      if (!isBusy || ports.clock.elapsed() >= deadline) throw error;
      await ports.clock.sleep(POLL_INTERVAL_MS);
    }
  }
}

const RELOAD_IN_PROGRESS = /reload already in progress/i;

const RETRYABLE_CODES: ReadonlySet<string> = new Set(["PM2_ACTION_FAILED", "APP_NEVER_SETTLES"]);

function neverSettles({ name, pmId }: ProcessRecord, timeoutMs: number): SvcmError {
  return new SvcmError("PROCESS_ACTION_REFUSED", {
    code: "APP_NEVER_SETTLES",
    details: `PM2 was still launching ${JSON.stringify(name)} (id ${pmId}) after ${timeoutMs / 1000} s. PM2 cannot stop an app that it launches, so svcm did not act on it.`,
    hint: "Give it more time with --timeout, or end its launch: the app calls process.send('ready'), or its listen_timeout passes.",
  });
}

function repeatedRefusal(action: ProcessAction, error: SvcmError, { name, status }: ProcessRecord): SvcmError {
  if (error.body.code === "APP_NEVER_SETTLES") {
    const details = `PM2 was launching ${JSON.stringify(name)} each of the ${MAX_ATTEMPTS} times that svcm was about to ${action} it.`;
    return new SvcmError("PROCESS_ACTION_REFUSED", { code: "APP_NEVER_SETTLES", details });
  }
  const reason = error.body.details ?? "PM2 gave no reason";
  const times = `PM2 refused the ${action} of ${JSON.stringify(name)} ${MAX_ATTEMPTS} times`;
  const details = `${times}, last with: ${reason}. Its list shows it as ${status}.`;
  return new SvcmError("PM2_FAILED", { ...error.body, details });
}
