import { cutText } from "../words/text.ts";
import type { HasProcessLogs } from "../logs/port-process-logs.ts";
import type { HasLogs } from "../logs/port-logs.ts";
import type { SvcmEvent } from "../api/events.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";

import { lastErrorBlock } from "../logs/error-block.ts";

const ERROR_LINES = 3;
/** Includes lines of the other instances, and stacks. */
const MAX_LINES = 80;
const MAX_LINE_LENGTH = 200;
/** An app writes its last error at most this long before PM2 logs its end. */
const OLD_MS = 5000;

export interface ErrorLog {
  /** Null if the log has no line that may belong to the end. */
  readonly reason: string | null;
  /** The other last lines, oldest first. */
  readonly lines: readonly string[];
  /** The lines as they are. */
  readonly texts: readonly string[];
}

interface ReasonRequest {
  readonly process: ProcessRecord | undefined;
  readonly event: SvcmEvent | null;
  readonly isAllowed: boolean;
}

/** Without secrets. If the log cannot be read, the cause is still shown. */
export async function readReason(
  ports: HasLogs & HasProcessLogs,
  { process, event, isAllowed }: ReasonRequest,
): Promise<ErrorLog> {
  if (process === undefined || !isAllowed) return { reason: null, lines: [], texts: [] };
  const read = ports.logs.read({ app: process.name, stream: "err", limit: MAX_LINES, isBounded: true });
  const { lines: all } = await read.catch(() => ({ lines: [] }));
  const own = all.filter(({ pmId }) => pmId === null || pmId === process.pmId);
  const lines = own.flatMap(({ text, level }) =>
    text
      .split("\n")
      .map((line, at) => ({ text: cut(line), isError: at === 0 && (level === "error" || level === "fatal") })),
  );
  const tail = await ports.processLogs.readErrorTail(process).catch(() => undefined);
  const writtenMs = tail?.writtenMs ?? timeOf(own.at(-1)?.at);
  const block = lastErrorBlock(lines);
  const texts = lines.map(({ text }) => text);
  if (event === null || event.kind !== "exit" || isOlder(writtenMs, event) || block.reason === undefined) {
    return { reason: null, lines: block.lines.slice(-ERROR_LINES), texts };
  }
  const { reason } = block;
  const isReason = (line: string): boolean => line === reason || line.startsWith(`${reason} (`);
  const counted = block.lines.findLast(isReason) ?? reason;
  return { reason: counted, lines: block.lines.filter((line) => !isReason(line)).slice(-ERROR_LINES), texts };
}

function timeOf(at: string | null | undefined): number | undefined {
  return at === null || at === undefined ? undefined : Date.parse(at);
}

function isOlder(writtenMs: number | undefined, { at }: SvcmEvent): boolean {
  return writtenMs !== undefined && writtenMs < Date.parse(at) - OLD_MS;
}

function cut(line: string): string {
  return cutText(line, MAX_LINE_LENGTH);
}
