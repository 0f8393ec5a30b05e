import { parseLine } from "../../../logs/line.ts";
import { rangeAt, rangesBackwards, type Region } from "./regions.ts";
import type { RawLine } from "./block.ts";

/** No stack trace is longer. */
const MOST_LINES = 200;
const LONGEST_STAMPED = 4096;

/** For lines without a time: the last time before them. */
export class TimeBefore {
  readonly #region: Region;
  #known: { readonly from: number; readonly to: number; readonly atMs: number | null } | undefined;

  constructor(region: Region) {
    this.#region = region;
  }

  of({ offset }: RawLine): number | null {
    const at = offset - this.#region.start;
    if (at < 0 || at > this.#region.bytes.length) return null;
    const known = this.#known;
    if (known && at >= known.from && at <= known.to) return known.atMs;
    const found = this.#search(at);
    this.#known = { ...found, to: at };
    return found.atMs;
  }

  #search(at: number): { readonly from: number; readonly atMs: number | null } {
    const { bytes } = this.#region;
    let count = 0;
    let reached = at;
    for (const { from, to } of rangesBackwards(bytes.subarray(0, at))) {
      const { atMs } = parseLine(bytes.toString("utf8", from, to));
      if (atMs !== null) return { from, atMs };
      reached = from;
      count += 1;
      if (count >= MOST_LINES) break;
    }
    return { from: reached, atMs: null };
  }
}

export function firstTimeOf({ bytes }: Region): number | undefined {
  const { from, to } = rangeAt(bytes, 0);
  return parseLine(bytes.toString("utf8", from, Math.min(to, from + LONGEST_STAMPED))).atMs ?? undefined;
}
