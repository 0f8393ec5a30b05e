import type { SvcmEvent, WhyResponse } from "../api/events.ts";
import { isGranted } from "../caller.ts";
import { SvcmError } from "../errors.ts";
import { happened } from "../events/happened.ts";
import { defineOperation } from "../operation.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { Ports } from "../ports/index.ts";

const SPAN_MS = 30 * 86_400_000;
const RECENT_MS = 15 * 60_000;
const ERROR_LINES = 3;
/** Those of the other instances are among them. */
const MOST_LINES = 50;
const LONGEST_LINE = 200;
const ENDS: ReadonlySet<SvcmEvent["kind"]> = new Set(["exit", "stop", "restart"]);

/**
 * The last end of a process within 30 days. PM2 need not run, but without it the error log is not shown: its secrets are
 * not known then.
 * @throws {SvcmError} EVENTS_FAILED, AUDIT_FAILED; PROCESS_NOT_FOUND if neither the log nor PM2 knows the name; PM2_FAILED if the log
 * does not know it and PM2 does not answer
 */
export const eventWhy = defineOperation({
  id: "event.why",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports, { name }, { grants, signal }): Promise<WhyResponse> {
    const { events, isComplete } = await happened(ports, ports.clock.now() - SPAN_MS, signal);
    const own = events.filter(({ app }) => app === name);
    const known = await ports.processes.list(signal).catch((error: unknown) => nothingIfAway(error, own));
    const processes = known.filter((record) => record.name === name);
    if (own.length === 0 && processes.length === 0) throw notFound(name);
    const event = own.find(({ kind }) => ENDS.has(kind)) ?? null;
    const process = processes.find(({ pmId }) => event === null || pmId === event.pmId);
    const errorLines = process === undefined || !isGranted(grants, "logs") ? [] : await lastErrors(ports, process);
    return { app: name, event, recentEnds: recentEnds(own, event), errorLines, complete: isComplete };
  },
});

/** If the log does not have the process either, the failure of PM2 is the better answer. */
function nothingIfAway(error: unknown, own: readonly SvcmEvent[]): ProcessRecord[] {
  if (own.length > 0 && error instanceof SvcmError && error.kind === "PM2_FAILED") return [];
  throw error;
}

function recentEnds(own: readonly SvcmEvent[], event: SvcmEvent | null): number {
  if (event === null) return 0;
  const from = Date.parse(event.at) - RECENT_MS;
  return own.filter(({ kind, at }) => kind === "exit" && Date.parse(at) >= from).length;
}

async function lastErrors(ports: Ports, process: ProcessRecord): Promise<readonly string[]> {
  // A log that cannot be read must not hide the cause.
  const read = ports.logs.read({ app: process.name, stream: "err", limit: MOST_LINES, isBounded: true });
  const { lines } = await read.catch(() => ({ lines: [] }));
  return lines
    .filter(({ pmId }) => pmId === null || pmId === process.pmId)
    .slice(-ERROR_LINES)
    .map(({ text }) => text.split("\n", 1).join())
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line));
}

function notFound(name: string): SvcmError {
  return new SvcmError("PROCESS_NOT_FOUND", {
    details: `PM2 does not know a process ${JSON.stringify(name.slice(0, 80))}, and its log does not have one.`,
    hint: "List the processes: svcm process list",
  });
}
