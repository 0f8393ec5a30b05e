import type { HasProcesses } from "../../pm2/port-processes.ts";
import { SvcmError } from "../../api/errors.ts";
import { actOn } from "../control/act-on.ts";
import type { ActionContext } from "../control/action.ts";
import { isLaunching } from "../control/verdict.ts";
import { POLL_INTERVAL_MS, DEFAULT_TIMEOUT_MS } from "../control/verify.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";

import { isStopped } from "../../running/state.ts";

const MAX_STOPS = 20;

/**
 * Stops a process that PM2 keeps restarting, because PM2 would start it in addition to the restart, and the run that
 * PM2 starts would count as the new one. It may crash while it is being stopped, so the stop is repeated; PM2 gives up
 * after sixteen starts.
 * @param isKnown PM2 counts only ends soon after a start, so the caller may know of a loop that PM2 does not count
 */
export async function stopCrashLoop(
  context: Omit<ActionContext, "action">,
  record: ProcessRecord,
  isKnown = false,
): Promise<ProcessRecord> {
  let now = await waitUntilSettled(context, record);
  const isLooping = ({ unstableRestarts }: ProcessRecord): boolean => isKnown || unstableRestarts > 0;
  for (let attempt = 1; isLooping(now) && !isAtRest(now); attempt += 1) {
    try {
      await actOn({ ...context, action: "stop" }, now);
    } catch (error) {
      if (!(error instanceof SvcmError) || attempt === MAX_STOPS) throw error;
    }
    now = await readAgain(context.ports, now);
    // PM2 is about to launch it.
    if (isStopped(now) && !isAtRest(now)) await context.ports.clock.sleep(POLL_INTERVAL_MS);
  }
  return now;
}

/** Between an end and the next launch, PM2 briefly shows a process as stopped, with the pid of the ended run. */
function isAtRest(record: ProcessRecord): boolean {
  return isStopped(record) && record.pid === null;
}

/**
 * PM2 cannot stop an app that it is launching, and it launches an app forever that always ends before it is ready. Such
 * a run is suspended: PM2 then waits for it until `listen_timeout` and no longer treats it as launching.
 */
async function waitUntilSettled(
  { ports, timeoutMs = DEFAULT_TIMEOUT_MS }: Omit<ActionContext, "action">,
  record: ProcessRecord,
): Promise<ProcessRecord> {
  const deadline = ports.clock.elapsed() + timeoutMs;
  let suspended: ProcessRecord | undefined;
  let now = record;
  for (;;) {
    const before = now;
    now = await readAgain(ports, record);
    const isLate = ports.clock.elapsed() >= deadline;
    if (isSettled(before, now) || isLate) break;
    // PM2 has forked the run that was seen before.
    if (now.restartCount > record.restartCount && now.pid === before.pid) {
      suspended = now;
      await ports.processes.suspend(now, true);
    }
    await ports.clock.sleep(POLL_INTERVAL_MS);
  }
  if (suspended !== undefined && isLaunching(now)) await ports.processes.suspend(suspended, false);
  return now;
}

/** The next launch has another pid. */
function isSettled(before: ProcessRecord, now: ProcessRecord): boolean {
  return !isLaunching(before) && !isLaunching(now) && now.pid === before.pid;
}

async function readAgain(ports: HasProcesses, record: ProcessRecord): Promise<ProcessRecord> {
  return (await listProcesses(ports, [record.name])).find(({ pmId }) => pmId === record.pmId) ?? record;
}

export async function listProcesses({ processes }: HasProcesses, names: readonly string[]): Promise<ProcessRecord[]> {
  const { list } = await processes.withHomeKey();
  return (await list()).filter(({ name }) => names.includes(name));
}
