import type { HasClock } from "../../files/port-host.ts";
import type { HasProcesses } from "../../pm2/port-processes.ts";
import { SvcmError } from "../../api/errors.ts";

import { isAtRest } from "../../running/state.ts";
import type { Declaration } from "../../pm2/declared.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { listOrEmpty } from "../../pm2/list-or-empty.ts";
import { POLL_INTERVAL_MS } from "./verify.ts";

/** Gives PM2 the definition of an app that it does not list. Nothing runs. @throws {SvcmError} PM2_FAILED */
export async function registerDeclared(
  { processes }: HasProcesses,
  { name, apps, folder }: Declaration,
): Promise<ProcessRecord[]> {
  return await processes.withLock("start", async () => {
    const before = (await listOrEmpty(processes)).filter((record) => record.name === name);
    if (before.length > 0) return before;
    await processes.registerApp(name, apps, folder);
    const listed = (await processes.list()).filter((record) => record.name === name);
    if (listed.length > 0) return listed;
    const details = `PM2 accepted the definition of ${JSON.stringify(name)}, but does not list it.`;
    throw new SvcmError("PROCESS_ACTION_FAILED", { code: "START_VERIFY_FAILED", details });
  });
}

/** @throws {SvcmError} PROCESS_ACTION_REFUSED with JOB_RUNNING */
export async function waitUntilAtRest(
  { processes, clock }: HasClock & HasProcesses,
  targets: readonly ProcessRecord[],
  timeoutMs: number,
): Promise<void> {
  const ids = new Set(targets.map(({ pmId }) => pmId));
  const deadline = clock.elapsed() + timeoutMs;
  for (;;) {
    const running = (await processes.list()).find((record) => ids.has(record.pmId) && !isAtRest(record));
    if (running === undefined) return;
    if (clock.elapsed() >= deadline) throw jobRunning(running);
    await clock.sleep(POLL_INTERVAL_MS);
  }
}

export function jobRunning({ name, pmId, startedAt }: ProcessRecord): SvcmError {
  const since = startedAt === null ? "" : ` since ${new Date(startedAt).toISOString()}`;
  return new SvcmError("PROCESS_ACTION_REFUSED", {
    code: "JOB_RUNNING",
    details: `${name} (id ${pmId}) runs${since}, and svcm does not end its run.`,
    hint: `Repeat the command when it has ended. To end it now: svcm stop ${name}`,
  });
}
