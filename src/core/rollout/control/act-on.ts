import type { HasClock, HasMachine, HasStamps } from "../../files/ports.ts";
import type { HasWorkspace } from "../../project/port-repository.ts";
import type { HasProcesses } from "../../pm2/port-processes.ts";
import { toSkipped, type SkipReason, type ProcessRecord } from "../../pm2/process-record.ts";
import type { ProcessAction } from "../../api/names.ts";
import { SvcmError } from "../../api/errors.ts";

import { findHolder, takenText } from "../../running/port-holders.ts";
import {
  findEndDuringReload,
  isBetweenRuns,
  isRunning,
  isRestarted,
  judge,
  STARTED_AGAIN,
  WITHOUT_PID,
  type PreviousRun,
  type Verdict,
  POLL_INTERVAL_MS,
  verify,
  verificationFailed,
} from "./verify.ts";
import {
  toAffected,
  type ActionContext,
  type Outcome,
  type Act,
  requestAction,
  Target,
  MAX_ATTEMPTS,
  type RequestedAction,
} from "./action.ts";
import { folderMissing, scriptMissing } from "./refusals.ts";
import { processLabel } from "../../pm2/target.ts";

/** One instance of an app at a time, so that the others keep serving. */
export function createProcessAct(context: ActionContext, record: ProcessRecord): Act {
  const isRolled = context.action === "restart" || context.action === "reload";
  const run = (): Promise<Outcome> => actOn(context, record);
  return { label: processLabel(record), ...(isRolled && { app: `${record.namespace} ${record.name}` }), run };
}

/**
 * Skips a process that is already in the requested state: for PM2, a start of a running process is a restart.
 * @throws {SvcmError} PM2_FAILED, PROCESS_ACTION_FAILED, PROCESS_ACTION_REFUSED, AUDIT_FAILED
 */
export function actOn(context: ActionContext, record: ProcessRecord): Promise<Outcome> {
  const target = new Target(context, () => findOrThrow(context.ports, record));
  return context.ports.processes.withLock(record, async () => {
    try {
      return await actOnTarget(context, target);
    } catch (error) {
      if (context.action === "delete" && (await isGone(context.ports, record, error)))
        return { affected: [], skipped: [toSkipped(record, "ALREADY_DELETED")] };
      throw error;
    } finally {
      await target.resume();
    }
  });
}

async function actOnTarget(context: ActionContext, target: Target): Promise<Outcome> {
  const { ports, action, begin } = context;
  const before = action === "start" ? await target.readCurrent() : await target.settle();
  const reason = reasonToSkip(action, before);
  if (reason !== undefined) return { affected: [], skipped: [toSkipped(before, reason)] };
  if (STARTS.has(action) && context.nextRun === undefined) requireFiles(ports, before);
  const isDelete = action === "delete";
  const unlistedBefore = isDelete ? await ports.processes.unlistedPids() : [];
  await begin();
  const requireEnd = (): Promise<void> => requireEndOf(ports, before, unlistedBefore);
  const after = await carryOut(context, before, target, isDelete ? requireEnd : undefined);
  const affected = (isDelete ? [before] : after).map(toAffected);
  await context.checkHealth?.(affected);
  return { affected, skipped: [] };
}

/**
 * If PM2 restarts the process at the same time, for example because it keeps ending, a stop or delete is requested again.
 * After a delete, such a process is listed again, with its former number.
 */
async function carryOut(
  context: ActionContext,
  before: ProcessRecord,
  target: Target,
  requireEnd?: () => Promise<void>,
): Promise<readonly ProcessRecord[]> {
  const { ports, action, timeoutMs } = context;
  for (let [attempt, current] = [1, before]; ; attempt += 1) {
    const request = await requestAndWatch(context, current, target);
    try {
      const after = await verify(ports, { action, name: before.name, timeoutMs }, (list, onlineMs) => {
        const found = findSame(list, before);
        const onlineForMs = found === undefined ? 0 : onlineMs(found);
        const verdict = judge(request.action, request.before, found, onlineForMs, context.stableMs);
        return { processes: found === undefined ? [] : [found], verdict: withReason(ports, found, verdict) };
      });
      await requireEnd?.();
      if (action === "stop" || action === "delete") await requireRest(context, current);
      return after;
    } catch (error) {
      if (action !== "stop" && action !== "delete") throw await withHolder(ports, before, error);
      if (attempt === MAX_ATTEMPTS) throw error;
      const now = findSame(await ports.processes.list(), before);
      if (now === undefined || (action === "stop" && !isStoppable(request.before, now))) throw error;
      current = await target.settle();
    }
  }
}

/** Or PM2 gave up on a child that nothing reaps, as in a container without init; the process itself has ended. */
function isStoppable(before: PreviousRun, now: ProcessRecord): boolean {
  return isRestarted(before, now) || (now.status === "errored" && now.pid === null);
}

/** PM2 may have begun to start it again, and shows it as stopped, or does not list it, until it has. */
const MAX_RETURN_MS = 300;

async function requireRest({ ports, action }: ActionContext, before: ProcessRecord): Promise<void> {
  if (before.unstableRestarts === 0) return;
  await ports.clock.sleep(MAX_RETURN_MS);
  const now = findSame(await ports.processes.list(), before);
  if (now !== undefined && (action === "delete" || isRunning(now)))
    throw verificationFailed(action, before.name, STARTED_AGAIN);
}

/** Says what PM2 could not start; its log has the error of the system. */
function withReason({ stamps }: HasStamps, found: ProcessRecord | undefined, verdict: Verdict): Verdict {
  if (found === undefined || typeof verdict !== "object" || verdict.failed !== WITHOUT_PID) return verdict;
  const paths = [found.interpreter, found.script, found.cwd].filter((path) => path?.startsWith("/"));
  const [missing] = stamps.missing(paths.filter((path) => path !== null && path !== undefined));
  if (missing === undefined) return { failed: `${WITHOUT_PID}. The end of pm2.log in PM2_HOME has the reason` };
  return { failed: `${WITHOUT_PID}. It needs ${missing}, which does not exist` };
}

/** A declared port that another process holds is the most frequent reason why a start fails. */
async function withHolder(
  ports: HasMachine & HasProcesses & HasWorkspace,
  record: ProcessRecord,
  error: unknown,
): Promise<unknown> {
  const { listenPorts = [], execMode } = record;
  if (!(error instanceof SvcmError) || listenPorts.length === 0 || execMode === "cluster") return error;
  const { machine, processes, workspace } = ports;
  const [listeners, all] = await Promise.all([machine.listeners(), processes.list()]).catch(() => []);
  if (listeners === undefined || all === undefined) return error;
  const own = all.filter(({ name }) => name === record.name);
  const found = { all, listeners, pm2Home: workspace.pm2Home };
  const held = listenPorts.flatMap((port) => findHolder(port, own, found) ?? []);
  if (held.length === 0) return error;
  const sentences = held.map((holder) => takenText(holder));
  return new SvcmError(error.kind, { ...error.body, details: [error.body.details, ...sentences].join(" ") });
}

const MAX_END_MS = 3000;

/**
 * If a user restarts a process while it is deleted, PM2 may forget a process that still runs.
 * @throws {SvcmError} PROCESS_ACTION_FAILED with the code `PROCESS_UNLISTED`
 */
async function requireEndOf(
  { processes, clock }: HasClock & HasProcesses,
  { name, pmId }: ProcessRecord,
  unlistedBefore: readonly number[],
): Promise<void> {
  const deadline = clock.elapsed() + MAX_END_MS;
  for (;;) {
    const remaining = (await processes.unlistedPids()).filter((pid) => !unlistedBefore.includes(pid));
    if (remaining.length === 0) return;
    if (clock.elapsed() >= deadline) {
      const pids = remaining.join(" ");
      throw new SvcmError("PROCESS_ACTION_FAILED", {
        code: "PROCESS_UNLISTED",
        details: `PM2 no longer lists ${JSON.stringify(name)} (id ${pmId}), but a process that it started still runs: pid ${pids}. Another command acted on it at the same time.`,
        hint: `Check what it is, and end it: kill ${pids}`,
      });
    }
    await clock.sleep(POLL_INTERVAL_MS);
  }
}

async function requestAndWatch(
  context: ActionContext,
  before: ProcessRecord,
  target: Target,
): Promise<RequestedAction> {
  const { ports, action, reloadWatch } = context;
  const request = requestAction(context, before, target);
  if (action !== "reload" || reloadWatch === undefined) return request;
  let isSettled = false;
  const settled = request.then(
    () => void (isSettled = true),
    () => void (isSettled = true),
  );
  for (;;) {
    await Promise.race([settled, ports.clock.sleep(POLL_INTERVAL_MS)]);
    if (isSettled) return request;
    const now = await findDuringReload(ports, before);
    if (now === undefined) continue;
    try {
      const endReason = findEndDuringReload(before, now);
      if (endReason !== undefined) throw verificationFailed(action, before.name, endReason);
      if (now.pid !== before.pid) await reloadWatch.observe(now);
    } catch (error) {
      reloadWatch.onPendingReload(before, settled);
      throw error;
    }
  }
}

/** While PM2 replaces a process, it is briefly missing from the list. */
async function findDuringReload(
  { processes }: HasProcesses,
  target: ProcessRecord,
): Promise<ProcessRecord | undefined> {
  try {
    return findSame(await processes.list(), target);
  } catch (error) {
    if (error instanceof SvcmError) return undefined;
    throw error;
  }
}

const STARTS: ReadonlySet<ProcessAction> = new Set(["start", "restart", "reload"]);

/** PM2 would end the process, and without the folder it starts no new one and still reports it online. */
function requireFiles({ stamps }: HasStamps, { name, cwd, script }: ProcessRecord): void {
  const missing = stamps.missing([cwd, script].filter((path) => path !== null));
  const who = `The process ${JSON.stringify(name)}`;
  if (cwd !== null && missing.has(cwd))
    throw folderMissing(who, cwd, "Create the folder, or delete the process and start it with a correct cwd.");
  if (script !== null && missing.has(script))
    throw scriptMissing(who, script, "Build the project, or delete the process and start it with a correct script.");
}

async function findOrThrow({ processes }: HasProcesses, target: ProcessRecord): Promise<ProcessRecord> {
  const found = findSame(await processes.list(), target);
  if (found === undefined) throw processChanged(target);
  return found;
}

/** Another command has deleted it meanwhile. */
async function isGone({ processes }: HasProcesses, record: ProcessRecord, error: unknown): Promise<boolean> {
  if (!(error instanceof SvcmError) || error.body.code !== "PROCESS_CHANGED") return false;
  return findSame(await processes.list(), record) === undefined;
}

function reasonToSkip(action: ProcessAction, before: ProcessRecord): SkipReason | undefined {
  if (action === "start" && isRunning(before)) return "ALREADY_RUNNING";
  const isStopped = before.status === "stopped" && !isBetweenRuns(before);
  return action === "stop" && isStopped ? "ALREADY_STOPPED" : undefined;
}

/** A restart may change the name of a process. One that PM2 only registered gets its unique id from its first start. */
function findSame(list: readonly ProcessRecord[], { pmId, name, uniqueId }: ProcessRecord): ProcessRecord | undefined {
  const isSame = (record: ProcessRecord): boolean =>
    uniqueId === null ? record.name === name : record.uniqueId === uniqueId;
  return list.find((record) => record.pmId === pmId && isSame(record));
}

function processChanged({ pmId, name }: ProcessRecord): SvcmError {
  return new SvcmError("PROCESS_ACTION_REFUSED", {
    code: "PROCESS_CHANGED",
    details: `PM2's number ${pmId} is no longer the process ${JSON.stringify(name)}.`,
    hint: "List the processes again: svcm ls",
  });
}
