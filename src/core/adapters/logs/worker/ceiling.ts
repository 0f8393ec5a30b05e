import { parseLine } from "../../../logs/line.ts";
import type { LogFile } from "./log-file.ts";
import { startOfTorn } from "./regions.ts";

const BLOCK_BYTES = 64 * 1024;
/** A program may write lines out of order. */
export const SLACK_MS = 60_000;
/** Then a last line without a line break counts as complete. */
const SETTLED_MS = 2000;

/** A line that is still being written is left for later. */
export function presentEnd(file: LogFile, size: number): number {
  return Date.now() - file.modifiedMs > SETTLED_MS ? size : startOfTorn(file, size);
}

export function endBefore(file: LogFile, size: number, untilMs: number): number {
  let low = 0;
  let high = size;
  while (high - low > BLOCK_BYTES) {
    const middle = Math.floor((low + high) / 2);
    const found = firstTime(file, middle);
    if (found === undefined) return high;
    if (found.atMs > untilMs + SLACK_MS) high = middle;
    else low = middle;
  }
  if (high === size) return size;
  const next = firstTime(file, high);
  return next?.lineStart ?? size;
}

function firstTime(file: LogFile, from: number): { readonly atMs: number; readonly lineStart: number } | undefined {
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  const text = block.subarray(0, file.read(block, from));
  for (let at = text.indexOf(0x0a) + 1; at > 0;) {
    const next = text.indexOf(0x0a, at);
    if (next === -1) return undefined;
    const { atMs } = parseLine(text.toString("utf8", at, next));
    if (atMs !== null) return { atMs, lineStart: from + at };
    at = next + 1;
  }
  return undefined;
}
