import type { HasProcesses } from "../../pm2/port-processes.ts";
import type { HasClock } from "../../files/port-host.ts";
import type { Code } from "../../api/codes.generated.ts";
import type { ProcessAction } from "../../api/names.ts";
import { SvcmError } from "../../api/errors.ts";

import { OnlineRuns, type Verdict } from "./verdict.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";

export const POLL_INTERVAL_MS = 100;
export const DEFAULT_TIMEOUT_MS = 20_000;

const CODES: Readonly<Record<ProcessAction, Code>> = {
  start: "START_VERIFY_FAILED",
  stop: "STOP_VERIFY_FAILED",
  restart: "RESTART_VERIFY_FAILED",
  reload: "RELOAD_VERIFY_FAILED",
  delete: "DELETE_VERIFY_FAILED",
};

export type OnlineMs = (record: ProcessRecord) => number;

export interface Observation {
  readonly processes: readonly ProcessRecord[];
  readonly verdict: Verdict;
}

export interface VerifyOptions {
  readonly action: ProcessAction;
  readonly name: string;
  readonly timeoutMs?: number | undefined;
}

/**
 * PM2 may be silent for a while on a busy machine. A failure of svcm's own wait would undo what runs well, so only silence
 * at the deadline counts.
 * @param deadlineMs by the clock's elapsed time
 * @throws {SvcmError} PM2_FAILED
 */
export async function listBy(
  { processes, clock }: HasClock & HasProcesses,
  deadlineMs: number,
): Promise<readonly ProcessRecord[]> {
  for (;;) {
    try {
      return await processes.list();
    } catch (error) {
      const isSilent = error instanceof SvcmError && error.body.code === "PM2_TIMEOUT";
      if (!isSilent || clock.elapsed() >= deadlineMs) throw error;
      await clock.sleep(POLL_INTERVAL_MS);
    }
  }
}

/** @throws {SvcmError} PROCESS_ACTION_FAILED if the action failed, or is still pending after `timeoutMs` */
export async function verify(
  ports: HasClock & HasProcesses,
  { action, name, timeoutMs = DEFAULT_TIMEOUT_MS }: VerifyOptions,
  observe: (list: readonly ProcessRecord[], onlineMs: OnlineMs) => Observation,
): Promise<readonly ProcessRecord[]> {
  const { clock } = ports;
  const deadline = clock.elapsed() + timeoutMs;
  const runs = new OnlineRuns();
  for (;;) {
    const list = await listBy(ports, deadline);
    const nowMs = clock.elapsed();
    const { processes: observed, verdict } = observe(list, (record) => runs.onlineMs(record, nowMs));
    if (verdict === "done") return observed;
    if (verdict !== "pending") throw verificationFailed(action, name, verdict.failed);
    if (nowMs >= deadline) {
      const statuses = observed.map(({ status }) => status).join(", ") || "not listed";
      throw verificationFailed(action, name, `PM2 still shows it as ${statuses} after ${timeoutMs / 1000} s`);
    }
    await clock.sleep(POLL_INTERVAL_MS);
  }
}

export function verificationFailed(action: ProcessAction, name: string, reason: string): SvcmError {
  return new SvcmError("PROCESS_ACTION_FAILED", {
    code: CODES[action],
    details: `PM2 accepted the ${action} of ${JSON.stringify(name)}, but ${reason}.`,
  });
}
