import type { HasClock } from "../../files/ports.ts";
import type { ProcessAction } from "../../api/names.ts";
import { SvcmError } from "../../api/errors.ts";

import type { NextRun, Processes } from "../../pm2/port-processes.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { isAlreadyDone, isLaunching, type PreviousRun, POLL_INTERVAL_MS, DEFAULT_TIMEOUT_MS } from "./verify.ts";
import type { ActionContext, ReadRecord } from "./action.ts";

export const MAX_ATTEMPTS = 3;

export interface RequestedAction {
  readonly action: ProcessAction;
  readonly before: PreviousRun;
}

/**
 * During a launch, PM2 (7.0.4, `God.executeApp`) mistakes the end that a stop causes for a crash, and starts the
 * process again.
 * @throws {SvcmError} PROCESS_ACTION_REFUSED with the code `APP_NEVER_SETTLES`
 */
export async function waitForLaunch(
  { clock }: HasClock,
  readCurrent: ReadRecord,
  timeoutMs = DEFAULT_TIMEOUT_MS,
): Promise<ProcessRecord> {
  const deadline = clock.elapsed() + timeoutMs;
  for (;;) {
    const current = await readCurrent();
    if (!isLaunching(current)) return current;
    if (clock.elapsed() >= deadline) throw neverSettles(current, timeoutMs);
    await clock.sleep(POLL_INTERVAL_MS);
  }
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
  readCurrent: ReadRecord,
): Promise<RequestedAction> {
  const { ports, action, nextRun, timeoutMs } = context;
  let latest = before;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const target = latest;
      const answer = await retryWhileBusy(context, () => REQUESTS[action](ports.processes, target, nextRun?.(target)));
      return { action, before: answer ?? target };
    } catch (error) {
      if (!(error instanceof SvcmError) || !RETRYABLE_CODES.has(error.body.code ?? "")) throw error;
      const current = await readCurrent();
      // A process that PM2 restarted by itself may not run as declared.
      if (nextRun === undefined && isAlreadyDone(action, before, current)) return { action: "start", before: current };
      if (attempt === MAX_ATTEMPTS) throw repeatedRefusal(action, error, current);
      latest = await waitForLaunch(ports, readCurrent, timeoutMs);
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
