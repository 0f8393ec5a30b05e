import type { Code } from "../../api/codes.generated.ts";
import type { ProcessAction } from "../../api/names.ts";
import { SvcmError } from "../../errors.ts";
import type { Ports } from "../../ports/index.ts";
import { OnlineRuns, type Verdict } from "./verdict.ts";
import type { ProcessRecord } from "../process-record.ts";

export const LOOK_EVERY_MS = 100;
export const PATIENCE_MS = 20_000;

const CODES: Readonly<Record<ProcessAction, Code>> = {
  start: "START_VERIFY_FAILED",
  stop: "STOP_VERIFY_FAILED",
  restart: "RESTART_VERIFY_FAILED",
  reload: "RELOAD_VERIFY_FAILED",
  delete: "DELETE_VERIFY_FAILED",
};

export type OnlineMs = (record: ProcessRecord) => number;

export interface Look {
  readonly processes: readonly ProcessRecord[];
  readonly verdict: Verdict;
}

export interface Verifying {
  readonly action: ProcessAction;
  readonly name: string;
  readonly timeoutMs?: number | undefined;
}

/** @throws {SvcmError} PROCESS_ACTION_FAILED if the action failed, or is still pending after `timeoutMs` */
export async function verify(
  { processes, clock }: Ports,
  { action, name, timeoutMs = PATIENCE_MS }: Verifying,
  look: (list: readonly ProcessRecord[], onlineMs: OnlineMs) => Look,
): Promise<readonly ProcessRecord[]> {
  const until = clock.elapsed() + timeoutMs;
  const runs = new OnlineRuns();
  for (;;) {
    const list = await processes.list();
    const nowMs = clock.elapsed();
    const { processes: seen, verdict } = look(list, (record) => runs.onlineMs(record, nowMs));
    if (verdict === "done") return seen;
    if (verdict !== "pending") throw verifyFailed(action, name, verdict.failed);
    if (nowMs >= until) {
      const statuses = seen.map(({ status }) => status).join(", ") || "not listed";
      throw verifyFailed(action, name, `PM2 still shows it as ${statuses} after ${timeoutMs / 1000} s`);
    }
    await clock.sleep(LOOK_EVERY_MS);
  }
}

export function verifyFailed(action: ProcessAction, name: string, reason: string): SvcmError {
  return new SvcmError("PROCESS_ACTION_FAILED", {
    code: CODES[action],
    details: `PM2 accepted the ${action} of ${JSON.stringify(name)}, but ${reason}.`,
  });
}
