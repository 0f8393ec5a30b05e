import type { ProcessAction } from "../../api/names.ts";
import { SvcmError } from "../../errors.ts";
import type { Ports } from "../../ports/index.ts";
import type { ProcessRecord } from "../process-record.ts";
import { isDoneWithoutUs, isLaunching, type Before } from "./verdict.ts";
import type { Acting, Look } from "./acting.ts";

const LOOK_EVERY_MS = 100;
/** An app that is not up by then is acted on as it is. */
const LAUNCH_PATIENCE_MS = 20_000;
const MOST_ATTEMPTS = 3;

/** The action that PM2 took, and the process right before it. */
export interface Given {
  readonly action: ProcessAction;
  readonly before: Before;
}

/**
 * Returns the process once PM2 is not launching it. During a launch PM2 (7.0.4, `God.executeApp`) mistakes the end
 * that a stop causes for a crash, and starts the process again beside the action.
 */
export async function launched({ clock }: Ports, look: Look): Promise<ProcessRecord> {
  const until = clock.elapsed() + LAUNCH_PATIENCE_MS;
  for (;;) {
    const seen = await look();
    if (!isLaunching(seen) || clock.elapsed() >= until) return seen;
    await clock.pause(LOOK_EVERY_MS);
  }
}

/**
 * Gives PM2 the action. PM2 refuses it if it has just restarted the process itself. Then its list decides whether the
 * action is done; if not, it is given again.
 *
 * @throws {SvcmError} PM2_FAILED, with PM2's words if it refuses every time
 */
export async function give({ ports, action, declared }: Acting, before: ProcessRecord, look: Look): Promise<Given> {
  const { processes } = ports;
  let now = before;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await (action === "restart" ? processes.restart(now, declared?.env) : processes[action](now));
      return { action, before: now };
    } catch (error) {
      if (!(error instanceof SvcmError) || error.body.code !== "PM2_ACTION_FAILED") throw error;
      const seen = await look();
      // A process that PM2 restarted itself may not have the declared environment.
      if (declared === undefined && isDoneWithoutUs(action, before, seen)) return { action: "start", before: seen };
      if (attempt === MOST_ATTEMPTS) throw refused(action, error, seen);
      now = await launched(ports, look);
    }
  }
}

function refused(action: ProcessAction, error: SvcmError, { name, status }: ProcessRecord): SvcmError {
  const words = error.body.details ?? "PM2 gave no reason";
  const times = `PM2 refused the ${action} of ${JSON.stringify(name)} ${MOST_ATTEMPTS} times`;
  const details = `${times}, last with: ${words}. Its list shows it as ${status}.`;
  return new SvcmError("PM2_FAILED", { ...error.body, details });
}
