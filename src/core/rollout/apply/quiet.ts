import { SvcmError } from "../../errors.ts";
import { actOn } from "../../pm2/control/act-on.ts";
import type { Acting } from "../../pm2/control/acting.ts";
import { isLaunching } from "../../pm2/control/verdict.ts";
import { LOOK_EVERY_MS, PATIENCE_MS } from "../../pm2/control/verify.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import type { Ports } from "../../ports/index.ts";
import { isStopped } from "../compare.ts";

const MOST_STOPS = 20;

/**
 * Stops a process that PM2 keeps restarting, because PM2 would start it in addition to the restart. It may crash while
 * it is being stopped, so the stop is repeated; PM2 gives up after sixteen starts.
 */
export async function quiet(acting: Omit<Acting, "action">, record: ProcessRecord): Promise<ProcessRecord> {
  let now = await settled(acting, record);
  for (let attempt = 1; now.unstableRestarts > 0 && !isStopped(now); attempt += 1) {
    try {
      await actOn({ ...acting, action: "stop" }, now);
    } catch (error) {
      if (!(error instanceof SvcmError) || attempt === MOST_STOPS) throw error;
    }
    now = await again(acting.ports, now);
  }
  return now;
}

/**
 * PM2 cannot stop an app that it is launching, and it launches an app forever that always ends before it is ready. Such
 * a run is suspended: PM2 then waits for it until `listen_timeout` and no longer treats it as launching.
 */
async function settled(
  { ports, timeoutMs = PATIENCE_MS }: Omit<Acting, "action">,
  record: ProcessRecord,
): Promise<ProcessRecord> {
  const until = ports.clock.elapsed() + timeoutMs;
  let halted: ProcessRecord | undefined;
  let now = record;
  for (;;) {
    const before = now;
    now = await again(ports, record);
    const isLate = ports.clock.elapsed() >= until;
    if (isQuiet(before, now) || isLate) break;
    // PM2 has forked the run that was seen before.
    if (now.restartCount > record.restartCount && now.pid === before.pid) {
      halted = now;
      await ports.processes.suspend(now, true);
    }
    await ports.clock.sleep(LOOK_EVERY_MS);
  }
  if (halted !== undefined && isLaunching(now)) await ports.processes.suspend(halted, false);
  return now;
}

/** Between an end and the next launch, PM2 briefly shows a process as stopped. The next launch has another pid. */
function isQuiet(before: ProcessRecord, now: ProcessRecord): boolean {
  return !isLaunching(before) && !isLaunching(now) && now.pid === before.pid;
}

async function again(ports: Ports, record: ProcessRecord): Promise<ProcessRecord> {
  return (await processesOf(ports, [record.name])).find(({ pmId }) => pmId === record.pmId) ?? record;
}

export async function processesOf({ processes }: Ports, names: readonly string[]): Promise<ProcessRecord[]> {
  const { list } = await processes.withHomeKey();
  return (await list()).filter(({ name }) => names.includes(name));
}
