/** The error of a worker of a cluster that its own log does not have. */
import type { SvcmEvent } from "../api/events.ts";
import type { HasProcessLogs } from "../logs/port-logs.ts";
import type { HasProcesses } from "../pm2/port-processes.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { cutText, shellQuote } from "../words/text.ts";
import { type ErrorLog, isUnrequested } from "./evidence.ts";
import type { HasSightings } from "./ports.ts";

const MAX_LINE_LENGTH = 200;

/** PM2 catches what a worker throws while its script loads, and writes it nowhere. */
export async function hiddenErrors(
  ports: HasProcesses & HasProcessLogs & HasSightings,
  process: ProcessRecord | undefined,
  event: SvcmEvent | null,
  { reason, isAllowed }: Pick<ErrorLog, "reason"> & { readonly isAllowed: boolean },
): Promise<string[]> {
  if (process?.execMode !== "cluster" || event === null || reason !== null || !isUnrequested(event)) return [];
  if (event.cause === "daemon") return [];
  if (event.exitCode !== undefined || event.signal !== undefined) {
    return isAllowed ? await writtenToDaemon(ports, process.name, Date.parse(event.at)) : [];
  }
  const script = process.script ?? "SCRIPT";
  const fault = await ports.sightings.findLoadFault(script);
  if (fault !== undefined) return [`It probably cannot load: ${fault}.`];
  return [
    `PM2 hides what a worker throws while it loads. To see such an error: svcm env run --app ${shellQuote(process.name)} -- node ${shellQuote(script)}`,
  ];
}

async function writtenToDaemon(
  { processes, processLogs }: HasProcesses & HasProcessLogs,
  name: string,
  endMs: number,
): Promise<string[]> {
  const end = { name, fromMs: endMs, upToMs: endMs + 999 };
  const [first] = await processLogs.readEarlyErrors(end).catch(() => []);
  if (first === undefined) return [];
  const [line = ""] = await processes.scrub([cutText(first, MAX_LINE_LENGTH)]);
  return [`It wrote right before, to pm2.log: ${line}`];
}
