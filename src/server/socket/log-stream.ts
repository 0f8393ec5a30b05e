import type { LogsFrame, LogsSubscribeFrame } from "../../core/api/frames.ts";
import {
  describeError,
  failureCode,
  lineSize,
  SvcmError,
  type LogBatch,
  type LogLine,
  type Ports,
} from "../../core/index.ts";
import { errorStack } from "../../core/words/thrown.ts";
import { toJson } from "../response.ts";
import type { ServerLog } from "../log.ts";
import { type Peer, SharedMessage } from "./peer.ts";

const DEFAULT_TAIL = 100;
const MAX_BYTES = 256 * 1024;

export interface LogStreamContext {
  readonly logs: Pick<Ports["logs"], "watch">;
  readonly log: ServerLog;
  readonly logMessage: LogMessage;
}

type LogMessage = (batch: LogBatch) => SharedMessage;

/** Serialises each batch once for all clients. */
export function logMessages(): LogMessage {
  const cache = new WeakMap<readonly LogLine[], { readonly skipped: number; readonly message: SharedMessage }>();
  return (batch) => {
    const { lines, skipped } = batch;
    const cached = cache.get(lines);
    if (cached?.skipped === skipped && !batch.begin) return cached.message;
    const message = new SharedMessage(toJson({ type: "logs", ...batch } satisfies LogsFrame));
    if (!batch.begin) cache.set(lines, { skipped, message });
    return message;
  };
}

/** A slow client gets fewer lines, and the number of missing ones. */
export async function streamLogs(
  { logs, log, logMessage }: LogStreamContext,
  peer: Peer,
  { apps = [], grep, ignoreCase, level, stream, tail = DEFAULT_TAIL, requestId }: LogsSubscribeFrame,
  signal: AbortSignal,
): Promise<void> {
  let missed = 0;
  try {
    for await (const batch of logs.watch(
      { apps: [...apps], grep, ignoreCase, level, stream, tail, isLossless: false },
      signal,
    )) {
      if (signal.aborted) return;
      const merged = missed === 0 ? batch : { ...batch, skipped: batch.skipped + missed };
      if (peer.offer([logMessage(merged.begin ? newestThatFit(merged) : merged)])) missed = 0;
      else missed += batch.lines.length + batch.skipped;
    }
  } catch (error) {
    const { body } = describeError(error);
    if (!(error instanceof SvcmError)) log.error({ stack: errorStack(error) }, "log stream failed");
    peer.send({ type: "error", code: failureCode(error), details: body.details ?? body.error, requestId });
  }
}

/** The newest lines that fit into one frame. */
function newestThatFit(batch: LogBatch): LogBatch {
  let bytes = 0;
  const from = batch.lines.findLastIndex((line) => (bytes += lineSize(line)) > MAX_BYTES) + 1;
  return from === 0 ? batch : { ...batch, lines: batch.lines.slice(from), skipped: batch.skipped + from };
}
