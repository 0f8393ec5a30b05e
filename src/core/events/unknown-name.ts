import type { HasProcesses } from "../pm2/port-processes.ts";
import type { HasProcessLogs } from "../logs/port-process-logs.ts";
import type { SvcmError } from "../api/errors.ts";
import { nameNotFound } from "../pm2/target.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";

import type { TimedEvent } from "./attribute-events.ts";
import { namePattern } from "./filter-patterns.ts";

/**
 * An empty result would hide a typing error.
 * @throws {SvcmError} PROCESS_NOT_FOUND; PM2_FAILED if PM2 does not respond
 */
export async function requireKnownNames(
  ports: HasProcessLogs & HasProcesses,
  names: readonly string[],
  events: readonly TimedEvent[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const namesWithEvents = new Set(events.map(({ event }) => event.app));
  for (const name of names) {
    if (namesWithEvents.has(name) || (await ports.processLogs.contains(namePattern([name])))) continue;
    const list = await ports.processes.list(signal);
    if (!list.some((record) => record.name === name)) throw unknownNameError(name, list);
  }
}

export function unknownNameError(name: string, list: readonly ProcessRecord[]): SvcmError {
  const names = list.map((record) => record.name);
  return nameNotFound("process in PM2 or its log is named", name, names);
}
