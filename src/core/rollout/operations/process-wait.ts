import type { ApplyPorts } from "../apply/ports.ts";
import { STABLE_MS } from "../../pm2/stable-time.ts";
import { defineOperation } from "../../access/operation.ts";
import type { ProcessProblem } from "../../api/metrics.ts";
import { resolveTarget } from "../../pm2/target.ts";
import { isUp, OnlineRuns, POLL_INTERVAL_MS, DEFAULT_TIMEOUT_MS } from "../control/verify.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import type { InputOf } from "../../api/inputs.ts";
import { FactsReader, readStateOf } from "../../running/read-states.ts";
import type { AffectedProcess } from "../control/action.ts";
import type { StateOf } from "../../running/state.ts";

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
  async run(ports: ApplyPorts, input, caller): Promise<ProcessWaitResponse> {
    const { processes, clock } = ports;
    const { timeoutMs = DEFAULT_TIMEOUT_MS } = input;
    const startedMs = clock.elapsed();
    const runs = new OnlineRuns();
    const reader = new FactsReader(ports);
    for (;;) {
      const targets = findTargets(await processes.list(caller.signal), input);
      const nowMs = clock.elapsed();
      const stateOf = await readStateOf(ports, targets, reader);
      const waited = targets.map((record) => toWaitedProcess(record, runs.onlineMs(record, nowMs), stateOf));
      const ok = waited.every(({ isOnline }) => isOnline);
      const isOver = ok || nowMs - startedMs >= timeoutMs || waited.some(hasGivenUp);
      if (isOver) return { ok, waitedMs: Math.round(nowMs - startedMs), processes: waited };
      await clock.sleep(POLL_INTERVAL_MS, caller.signal);
    }
  },
});

function findTargets(list: readonly ProcessRecord[], { names, pmIds, namespace }: InputOf<"process.wait">) {
  if (names.length + pmIds.length > 0) return resolveTarget(list, { scope: "process", names, pmIds, namespace });
  return namespace === undefined ? list : resolveTarget(list, { scope: "namespace", namespace });
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
