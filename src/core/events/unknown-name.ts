import { SvcmError } from "../errors.ts";
import { notFound } from "../pm2/control/target.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { Ports } from "../ports/index.ts";
import type { Happening } from "./audited-events.ts";
import { namesIn } from "./narrow.ts";

/**
 * An empty answer would hide a wrong name. If PM2 is away, its log alone decides.
 * @throws {SvcmError} PROCESS_NOT_FOUND
 */
export async function refuseUnknown(
  ports: Ports,
  names: readonly string[],
  events: readonly Happening[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const happened = new Set(events.map(({ event }) => event.app));
  const silent = names.filter((name) => !happened.has(name));
  if (silent.length === 0) return;
  const list = await ports.processes.list(signal).catch((error: unknown) => {
    if (error instanceof SvcmError && error.kind === "PM2_FAILED") return undefined;
    throw error;
  });
  for (const name of silent) {
    if (list?.some((record) => record.name === name) || (await ports.processLogs.has(namesIn([name])))) continue;
    if (list !== undefined) throw unknownName(name, list);
    const details = `PM2's log has no process ${JSON.stringify(name)}, and PM2 does not answer.`;
    throw new SvcmError("PROCESS_NOT_FOUND", { details });
  }
}

export function unknownName(name: string, list: readonly ProcessRecord[]): SvcmError {
  const names = list.map((record) => record.name);
  return notFound("process of PM2 or of its log is called", name, names);
}
