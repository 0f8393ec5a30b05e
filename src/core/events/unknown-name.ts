import type { SvcmError } from "../errors.ts";
import { nameNotFound } from "../pm2/control/target.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { Ports } from "../ports/index.ts";
import type { Happening } from "./audited-events.ts";
import { namesIn } from "./narrow.ts";

/**
 * An empty result would hide a typing error.
 * @throws {SvcmError} PROCESS_NOT_FOUND; PM2_FAILED if PM2 does not respond
 */
export async function refuseUnknown(
  ports: Ports,
  names: readonly string[],
  events: readonly Happening[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const happened = new Set(events.map(({ event }) => event.app));
  for (const name of names) {
    if (happened.has(name) || (await ports.processLogs.contains(namesIn([name])))) continue;
    const list = await ports.processes.list(signal);
    if (!list.some((record) => record.name === name)) throw unknownName(name, list);
  }
}

export function unknownName(name: string, list: readonly ProcessRecord[]): SvcmError {
  const names = list.map((record) => record.name);
  return nameNotFound("process in PM2 or its log is named", name, names);
}
