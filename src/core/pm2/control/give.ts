import type { ProcessAction } from "../../api/names.ts";
import { SvcmError } from "../../errors.ts";
import type { Ports } from "../../ports/index.ts";
import type { NextRun, Processes } from "../../ports/processes.ts";
import type { ProcessRecord } from "../process-record.ts";
import { isDoneWithoutUs, isLaunching, type Before } from "./verdict.ts";
import type { Acting, Look } from "./acting.ts";
import { LOOK_EVERY_MS, PATIENCE_MS } from "./verify.ts";

export const MOST_ATTEMPTS = 3;

export interface Given {
  readonly action: ProcessAction;
  readonly before: Before;
}

/**
 * During a launch, PM2 (7.0.4, `God.executeApp`) mistakes the end that a stop causes for a crash, and starts the
 * process again.
 * @throws {SvcmError} PROCESS_ACTION_REFUSED with the code `APP_NEVER_SETTLES`
 */
export async function launched({ clock }: Ports, look: Look, timeoutMs = PATIENCE_MS): Promise<ProcessRecord> {
  const until = clock.elapsed() + timeoutMs;
  for (;;) {
    const seen = await look();
    if (!isLaunching(seen)) return seen;
    if (clock.elapsed() >= until) throw neverSettles(seen, timeoutMs);
    await clock.sleep(LOOK_EVERY_MS);
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
export async function give(acting: Acting, before: ProcessRecord, look: Look): Promise<Given> {
  const { ports, action, declared, timeoutMs } = acting;
  let now = before;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const target = now;
      const answer = await whenFree(acting, () => REQUESTS[action](ports.processes, target, declared?.(target)));
      return { action, before: answer ?? target };
    } catch (error) {
      if (!(error instanceof SvcmError) || !RETRIED.has(error.body.code ?? "")) throw error;
      const seen = await look();
      // A process that PM2 restarted by itself may not run as declared.
      if (declared === undefined && isDoneWithoutUs(action, before, seen)) return { action: "start", before: seen };
      if (attempt === MOST_ATTEMPTS) throw refused(action, error, seen);
      now = await launched(ports, look, timeoutMs);
    }
  }
}

/** PM2 refuses while it is busy with an earlier reload. */
async function whenFree<T>({ ports, timeoutMs = PATIENCE_MS }: Acting, request: () => Promise<T>): Promise<T> {
  const until = ports.clock.elapsed() + timeoutMs;
  for (;;) {
    try {
      return await request();
    } catch (error) {
      const isBusy = error instanceof SvcmError && IN_PROGRESS.test(error.body.details ?? "");
      if (!isBusy || ports.clock.elapsed() >= until) throw error;
      await ports.clock.sleep(LOOK_EVERY_MS);
    }
  }
}

const IN_PROGRESS = /reload already in progress/i;

const RETRIED: ReadonlySet<string> = new Set(["PM2_ACTION_FAILED", "APP_NEVER_SETTLES"]);

function neverSettles({ name, pmId }: ProcessRecord, timeoutMs: number): SvcmError {
  return new SvcmError("PROCESS_ACTION_REFUSED", {
    code: "APP_NEVER_SETTLES",
    details: `PM2 was still launching ${JSON.stringify(name)} (id ${pmId}) after ${timeoutMs / 1000} s. PM2 cannot stop an app that it launches, so svcm did not act on it.`,
    hint: "Give it more time with --timeout, or end its launch: the app calls process.send('ready'), or its listen_timeout passes.",
  });
}

function refused(action: ProcessAction, error: SvcmError, { name, status }: ProcessRecord): SvcmError {
  if (error.body.code === "APP_NEVER_SETTLES") {
    const details = `PM2 was launching ${JSON.stringify(name)} each of the ${MOST_ATTEMPTS} times that svcm was about to ${action} it.`;
    return new SvcmError("PROCESS_ACTION_REFUSED", { code: "APP_NEVER_SETTLES", details });
  }
  const words = error.body.details ?? "PM2 gave no reason";
  const times = `PM2 refused the ${action} of ${JSON.stringify(name)} ${MOST_ATTEMPTS} times`;
  const details = `${times}, last with: ${words}. Its list shows it as ${status}.`;
  return new SvcmError("PM2_FAILED", { ...error.body, details });
}
