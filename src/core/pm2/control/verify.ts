import type { ProcessAction } from "../../api/names.ts";
import { SvcmError } from "../../errors.ts";
import type { Ports } from "../../ports/index.ts";
import { OnlineRuns, type Verdict } from "../verdict.ts";
import type { ProcessRecord } from "../process-record.ts";

const LOOK_EVERY_MS = 100;
/** A process that is neither up nor given up by then is not up. */
const PATIENCE_MS = 20_000;

const CODES: Readonly<Record<ProcessAction, string>> = {
  start: "START_VERIFY_FAILED",
  stop: "STOP_VERIFY_FAILED",
  restart: "RESTART_VERIFY_FAILED",
};

/** For how long the present run of a process has been seen online. */
export type OnlineMs = (record: ProcessRecord) => number;

/** What PM2 lists of the processes that an action was for, and what that says of it. */
export interface Look {
  readonly processes: readonly ProcessRecord[];
  readonly verdict: Verdict;
}

/**
 * Looks at PM2's list until it says that the action is done, and answers the processes as they are then.
 *
 * @throws {SvcmError} PROCESS_ACTION_FAILED where the list says that it failed, or says nothing for too long.
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
