import type { ApplyPorts } from "../ports.ts";
import { STABLE_MS } from "../../pm2/settings.ts";
import { defineOperation } from "../../access/operation.ts";
import type { ProcessProblem } from "../../api/metrics.ts";
import { findTarget } from "../../pm2/target.ts";
import { isUp, OnlineRuns, POLL_INTERVAL_MS, DEFAULT_TIMEOUT_MS } from "../control/verify.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import type { InputOf } from "../../api/inputs.ts";
import { FactsReader, type ProcessEnd, readEnd, readStateOf } from "../../running/read-states.ts";
import { type AffectedProcess, noteProcesses } from "../control/action.ts";
import { type StateOf, isAtRest } from "../../running/state.ts";
import type { HasProcesses } from "../../pm2/port-processes.ts";
import { withAudit, type Attempt } from "../../access/with-audit.ts";
import { scaleDown, scaleUp } from "../control/scale.ts";
import { recordStarts } from "../record-starts.ts";
import { createHealthWaiter } from "../apply/gate.ts";
import { once } from "../../words/once.ts";
import { shellQuote } from "../../words/text.ts";
import { SvcmError } from "../../api/errors.ts";
import { jobRunning } from "../control/start-declared.ts";
import { appKind } from "../../running/code-evidence.ts";
import type { ProcessRunResult } from "../../api/rollout-requests.ts";

export interface WaitedProcess extends AffectedProcess {
  /** True if it has been online for a second without a restart. */
  readonly isOnline: boolean;
  /** Why it is not, where PM2's status does not say it. */
  readonly problem: ProcessProblem | null;
}

export interface ProcessWaitResponse {
  /** True if all processes are online. */
  readonly ok: boolean;
  readonly waitedMs: number;
  readonly processes: readonly WaitedProcess[];
}

/**
 * Waits until each process has been online for one second without a restart. Stops early if PM2 has given up on one.
 *
 * @throws {SvcmError} PROCESS_NOT_FOUND, PROCESS_AMBIGUOUS, PM2_FAILED
 */
export const processWait = defineOperation({
  id: "process.wait",
  access: "read",
  async run(ports: ApplyPorts, input, { signal }): Promise<ProcessWaitResponse> {
    const { processes, clock } = ports;
    const { timeoutMs = DEFAULT_TIMEOUT_MS } = input;
    const startedMs = clock.elapsed();
    const runs = new OnlineRuns(processes.queuedMs);
    const reader = new FactsReader(ports);
    for (;;) {
      const targets = findTargets(processes, await processes.list(signal), input);
      const nowMs = clock.elapsed();
      const stateOf = await readStateOf(ports, targets, reader);
      const waited = targets.map((record) => toWaitedProcess(record, runs.onlineMs(record, nowMs), stateOf));
      const ok = waited.every(({ isOnline }) => isOnline);
      const isOver = ok || nowMs - startedMs >= timeoutMs || waited.some(hasGivenUp);
      if (isOver) return { ok, waitedMs: Math.round(nowMs - startedMs), processes: waited };
      await clock.sleep(POLL_INTERVAL_MS, signal);
    }
  },
});

function findTargets(
  processes: ApplyPorts["processes"],
  list: readonly ProcessRecord[],
  { names, pmIds, namespace }: InputOf<"process.wait">,
) {
  if (names.length + pmIds.length > 0)
    return findTarget(processes, list, { scope: "process", names, pmIds, namespace });
  return namespace === undefined ? list : findTarget(processes, list, { scope: "namespace", namespace });
}

function toWaitedProcess(record: ProcessRecord, onlineMs: number, stateOf: StateOf): WaitedProcess {
  const { name, pmId, namespace, pid, status } = record;
  const isOnline = isUp(record) && onlineMs >= STABLE_MS;
  // PM2 sets the pid with the status, so a process that keeps having none was not started.
  const isJudged = !isOnline && (status !== "online" || onlineMs >= STABLE_MS);
  return { name, pmId, namespace, pid, status, isOnline, problem: isJudged ? stateOf(record).problem : null };
}

function hasGivenUp({ status, problem }: WaitedProcess): boolean {
  return status === "errored" || problem?.code === "PROCESS_WITHOUT_PID" || problem?.code === "PROCESS_FOLDER_MISSING";
}

export interface ProcessScaleResult {
  readonly ok: true;
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** The number that PM2 lists afterwards. It differs from `to` if another command changed it at the same time. */
  readonly now: number;
  readonly affected: readonly AffectedProcess[];
}

/**
 * Starts or deletes processes of an app, one by one, until it has the requested number. A new process gets the
 * definition of the existing ones; the newest are deleted first. If a new process does not stay online, it is deleted
 * again.
 *
 * @throws {SvcmError} PROCESS_NOT_FOUND, PROCESS_AMBIGUOUS, SELF_ACTION_BLOCKED, PROCESS_ACTION_FAILED,
 * PROCESS_ACTION_REFUSED, PM2_FAILED, AUDIT_FAILED
 */
export const processScale = defineOperation({
  id: "process.scale",
  access: "act",
  async run(ports: ApplyPorts, { name, namespace, instances, wait, timeoutMs }, caller): Promise<ProcessScaleResult> {
    const scale = async (attempt: Attempt): Promise<ProcessScaleResult> => {
      const list = await ports.processes.list();
      const targets = findTarget(ports.processes, list, { scope: "process", name, namespace });
      attempt.note({ target: undefined });
      noteProcesses(attempt, ports, targets);
      const acting = { ports, timeoutMs, begin: once(attempt.begin), report: caller.report };
      const affected =
        instances > targets.length
          ? await scaleUp(acting, targets, instances - targets.length)
          : await scaleDown(acting, targets, targets.length - instances);
      if (wait === true && instances > targets.length) await (await createHealthWaiter(ports, timeoutMs))(affected);
      if (instances > targets.length) await recordStarts(ports);
      const others = affected.filter(({ pmId }) => !targets.some((one) => one.pmId === pmId));
      noteProcesses(attempt, ports, [...targets, ...others]);
      return {
        ok: true,
        name,
        from: targets.length,
        to: instances,
        now: await countSiblings(ports, targets),
        affected,
      };
    };
    return withAudit(ports, caller, { action: "process.scale", target: name }, scale, { isAlwaysRecorded: true });
  },
});

async function countSiblings({ processes }: HasProcesses, [one]: readonly ProcessRecord[]): Promise<number> {
  const list = await processes.list();
  return list.filter(({ name, namespace }) => name === one?.name && namespace === one.namespace).length;
}

const DEFAULT_RUN_MS = 10 * 60_000;

/**
 * Starts a job or task once and waits for its end. At the time limit, and if the caller leaves, it goes on running, and
 * the result says so.
 * @throws {SvcmError} PROCESS_NOT_FOUND, PROCESS_AMBIGUOUS, PM2_FAILED, AUDIT_FAILED; PROCESS_ACTION_REFUSED with
 * NOT_A_JOB or JOB_RUNNING
 */
export const processRun = defineOperation({
  id: "process.run",
  access: "act",
  async run(ports: ApplyPorts, input, caller): Promise<ProcessRunResult> {
    const { signal } = caller;
    const run = async (attempt: Attempt): Promise<ProcessRunResult> => {
      const listed = await ports.processes.list();
      const [target, ...others] = findTarget(ports.processes, listed, { scope: "process", ...input });
      if (target === undefined) throw new SvcmError("PROCESS_NOT_FOUND", { details: input.name });
      attempt.note({ target: undefined });
      noteProcesses(attempt, ports, [target]);
      requireFinite(target);
      await ports.processes.withLock(target, async () => {
        const now = await findRecord(ports, target);
        if (!isAtRest(now)) throw jobRunning(now);
        signal?.throwIfAborted();
        await attempt.begin();
        await ports.processes.start(now);
      });
      const result = await waitForEnd(ports, target, input, signal).catch((error: unknown) => {
        throw unseenEnd(error, target);
      });
      return { ...result, details: [result.details, ...leftAlone(others)].join(" ") };
    };
    const isUnrecorded = (): boolean => signal?.aborted === true;
    return await withAudit(ports, caller, { action: "process.run", target: input.name }, run, { isUnrecorded });
  },
});

/** A run that is repeated without need may do its work twice. */
function unseenEnd(error: unknown, { name, pmId }: ProcessRecord): unknown {
  if (!(error instanceof SvcmError)) return error;
  const details = `The run of ${name} (id ${pmId}) had begun, and svcm did not see its end: ${error.message}`;
  const hint = `Before you run it again, find out what it has done: svcm why ${shellQuote(name)}, and svcm logs ${shellQuote(name)}`;
  return new SvcmError(error.kind, { ...error.body, details, hint });
}

/** Each instance has its own run and its own end, and the answer is about one of them. */
function leftAlone(others: readonly ProcessRecord[]): string[] {
  if (others.length === 0) return [];
  const ids = others.map(({ pmId }) => pmId).join(", ");
  return [`svcm run starts one instance of an app, so it left the others alone: id ${ids}.`];
}

function requireFinite({ name, declaration }: ProcessRecord): void {
  if (appKind(declaration.settings) !== "service") return;
  throw new SvcmError("PROCESS_ACTION_REFUSED", {
    code: "NOT_A_JOB",
    details: `${name} is a service: PM2 starts it again after an end, so it has no single run. Accepted: an app with autorestart: false.`,
    hint: `To start it: svcm start ${shellQuote(name)}`,
  });
}

async function waitForEnd(
  ports: ApplyPorts,
  target: ProcessRecord,
  { timeoutMs = DEFAULT_RUN_MS }: InputOf<"process.run">,
  signal: AbortSignal | undefined,
): Promise<ProcessRunResult> {
  const { clock } = ports;
  const { name, pmId } = target;
  const startedMs = clock.elapsed();
  let begunAt: number | null = null;
  for (;;) {
    const record = await findRecord(ports, target);
    if (begunAt === null && record.lastStartAt !== target.lastStartAt) begunAt = record.lastStartAt;
    const ms = Math.round(clock.elapsed() - startedMs);
    if (begunAt !== null && record.lastStartAt !== begunAt) return { name, pmId, ...replacedRun(record), ms };
    const hasEnded = begunAt !== null && isAtRest(record);
    if (hasEnded || signal?.aborted === true || ms >= timeoutMs)
      return { name, pmId, ...(await readResult(ports, record, ms)), ms };
    await clock.sleep(POLL_INTERVAL_MS, signal).catch(() => undefined);
  }
}

async function readResult(ports: ApplyPorts, record: ProcessRecord, ms: number): Promise<RunResult> {
  const end = await readEnd(ports, record);
  // A restart stops it, and starts it a moment later.
  const after = isAtRest(record) ? await findRecord(ports, record) : record;
  return after.lastStartAt === record.lastStartAt ? runResult(record, end, ms) : replacedRun(after);
}

async function findRecord({ processes }: HasProcesses, { pmId, name }: ProcessRecord): Promise<ProcessRecord> {
  const found = (await processes.list()).find((one) => one.pmId === pmId && one.name === name);
  if (found !== undefined) return found;
  const details = `PM2 no longer lists ${name} (id ${pmId}).`;
  throw new SvcmError("PROCESS_NOT_FOUND", { code: "PROCESS_CHANGED", details });
}

type RunResult = Omit<ProcessRunResult, "name" | "pmId" | "ms">;

/** For example its schedule, which stops a run that has not ended. */
function replacedRun({ lastStartAt }: ProcessRecord): RunResult {
  const at = lastStartAt === null ? "" : ` at ${new Date(lastStartAt).toISOString()}`;
  const details = `svcm did not see this run end: PM2 started it again${at}, by its schedule or a command.`;
  return { outcome: "failed", exitCode: null, details };
}

function runResult(record: ProcessRecord, { state: { problem }, lastEnd }: ProcessEnd, ms: number): RunResult {
  const stop = lastEnd?.stop ?? null;
  if (!isAtRest(record)) {
    const details = `It still runs after ${Math.round(ms / 1000)} s, and svcm leaves it running. ${problem?.details ?? "A script that ends without process.exit() can stay online under PM2."}`;
    return { outcome: "running", exitCode: null, details };
  }
  if (stop !== null) {
    const details = `It did not end by itself: a command stopped it at ${new Date(stop.atMs).toISOString()}.`;
    return { outcome: "failed", exitCode: null, details };
  }
  if (problem?.code === "JOB_FAILED") return { outcome: "failed", exitCode: record.exitCode, details: problem.details };
  if (record.execMode !== "cluster")
    return { outcome: "succeeded", exitCode: 0, details: "It ended with exit code 0." };
  const details = "It ended without an error in its log. In cluster mode PM2 does not record whether it succeeded.";
  return { outcome: "unknown", exitCode: 0, details };
}
