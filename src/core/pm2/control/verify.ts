import type { Code } from "../../api/codes.generated.ts";
import type { ProcessAction } from "../../api/names.ts";
import { SvcmError } from "../../errors.ts";
import type { Ports } from "../../ports/index.ts";
import { OnlineRuns, type Verdict } from "./verdict.ts";
import type { ProcessRecord } from "../process-record.ts";

const LOOK_EVERY_MS = 100;
const PATIENCE_MS = 20_000;

const CODES: Readonly<Record<ProcessAction, Code>> = {
  start: "START_VERIFY_FAILED",
  stop: "STOP_VERIFY_FAILED",
  restart: "RESTART_VERIFY_FAILED",
};

export type OnlineMs = (record: ProcessRecord) => number;

export interface Look {
  readonly processes: readonly ProcessRecord[];
  readonly verdict: Verdict;
}

/**
 * Polls PM2's list until the action is done, and returns the processes of that list.
 *
 * @throws {SvcmError} PROCESS_ACTION_FAILED if it failed, or is still pending after 20 seconds
 */
export async function verify(
  { processes, clock }: Ports,
  { action, name }: { readonly action: ProcessAction; readonly name: string },
  look: (list: readonly ProcessRecord[], onlineMs: OnlineMs) => Look,
): Promise<readonly ProcessRecord[]> {
  const until = clock.elapsed() + PATIENCE_MS;
  const runs = new OnlineRuns();
  for (;;) {
    const list = await processes.list();
    const nowMs = clock.elapsed();
    const { processes: seen, verdict } = look(list, (record) => runs.onlineMs(record, nowMs));
    if (verdict === "done") return seen;
    if (verdict !== "pending") throw verifyFailed(action, name, verdict.failed);
    if (nowMs >= until) {
      const statuses = seen.map(({ status }) => status).join(", ") || "not listed";
      throw verifyFailed(action, name, `PM2 still shows it as ${statuses} after ${PATIENCE_MS / 1000} s`);
    }
    await clock.pause(LOOK_EVERY_MS);
  }
}

export function verifyFailed(action: ProcessAction, name: string, reason: string): SvcmError {
  return new SvcmError("PROCESS_ACTION_FAILED", {
    code: CODES[action],
    details: `PM2 took the ${action} of ${JSON.stringify(name)}, but ${reason}.`,
  });
}
