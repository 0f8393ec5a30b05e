import { parseLine } from "../../line.ts";
import { momentBefore, type RawLine, SLACK_MS } from "./line.ts";
import type { LogFile } from "./log-file.ts";
import { NEWLINE, rangeAt, rangesBackwards, type Region } from "./regions.ts";

const BLOCK_BYTES = 64 * 1024;

export function findEndBefore(file: LogFile, size: number, untilMs: number): number {
  let low = 0;
  let high = size;
  while (high - low > BLOCK_BYTES) {
    const middle = Math.floor((low + high) / 2);
    const first = findFirstTime(file, middle);
    if (first === undefined) return high;
    if (first.atMs > untilMs + SLACK_MS) high = middle;
    else low = middle;
  }
  if (high === size) return size;
  const next = findFirstTime(file, high);
  return next?.lineStart ?? size;
}

function findFirstTime(file: LogFile, from: number): { readonly atMs: number; readonly lineStart: number } | undefined {
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  const text = block.subarray(0, file.read(block, from));
  for (let at = text.indexOf(NEWLINE) + 1; at > 0;) {
    const next = text.indexOf(NEWLINE, at);
    if (next === -1) return undefined;
    const { atMs } = parseLine(text.toString("utf8", at, next));
    if (atMs !== null) return { atMs, lineStart: from + at };
    at = next + 1;
  }
  return undefined;
}

/** No stack trace is longer. */
const MAX_LINES = 200;
const MAX_STAMP_BYTES = 4096;

/** For lines without a time: the last time before them. */
export class PrecedingTime {
  readonly #region: Region;
  #cached: { readonly from: number; readonly to: number; readonly atMs: number | null } | undefined;

  constructor(region: Region) {
    this.#region = region;
  }

  /** @param nextMs the time of a line that follows */
  of({ offset }: RawLine, nextMs: number): number | null {
    const at = offset - this.#region.start;
    if (at < 0 || at > this.#region.bytes.length) return null;
    const cached = this.#cached;
    if (cached && at >= cached.from && at <= cached.to) return cached.atMs;
    const found = this.#search(at, nextMs);
    this.#cached = { ...found, to: at };
    return found.atMs;
  }

  #search(at: number, nextMs: number): { readonly from: number; readonly atMs: number | null } {
    const { bytes } = this.#region;
    let count = 0;
    let reached = at;
    for (const { from, to } of rangesBackwards(bytes.subarray(0, at))) {
      const atMs = momentBefore(parseLine(bytes.toString("utf8", from, to)), nextMs);
      if (atMs !== null) return { from, atMs };
      reached = from;
      count += 1;
      if (count >= MAX_LINES) break;
    }
    return { from: reached, atMs: null };
  }
}

/** Of a time that occurs twice, the second: reading backwards must not stop too early. */
export function readFirstTime({ bytes }: Region): number | undefined {
  const { from, to } = rangeAt(bytes, 0);
  const { atMs, laterMs } = parseLine(bytes.toString("utf8", from, Math.min(to, from + MAX_STAMP_BYTES)));
  return laterMs ?? atMs ?? undefined;
}
