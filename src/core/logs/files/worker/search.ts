import { type LineScrubber, parseLine } from "../../line.ts";
import type { FindCandidates } from "./candidates.ts";
import {
  type LineFilter,
  matchesFilter,
  type RawLine,
  type ScrubbedLine,
  scrubLine,
  splitLines,
  momentBefore,
  SLACK_MS,
} from "./line.ts";
import type { Target } from "./process-list.ts";
import {
  blocksBackwards,
  NEWLINE,
  type Range,
  rangeAt,
  rangesBackwards,
  type Region,
  type LogFile,
} from "./log-file.ts";

export interface SearchedRegion {
  readonly region: Region;
  readonly isTorn: boolean;
  readonly times: PrecedingTime;
}

interface FoundLine {
  readonly raw: RawLine;
  readonly scrubbed: ScrubbedLine;
  readonly times: PrecedingTime;
}

export interface SearchOptions extends LineFilter {
  readonly context: number;
  readonly findCandidates: FindCandidates | undefined;
  readonly scrub: LineScrubber;
}

/** Last line first, and `undefined` after each region. */
export function* searchRegions(
  regions: Iterable<SearchedRegion>,
  target: Target,
  options: SearchOptions,
): Generator<FoundLine | undefined> {
  let following: ContextLine[] = [];
  for (const searched of regions) {
    const matches = matchRegion(searched, target, options);
    if (options.context === 0) yield* matches;
    else {
      const lines = withContext(searched, [...matches], following, options);
      yield* linesWithContext(lines, options);
      following = lines.slice(0, options.context);
    }
    yield undefined;
  }
}

function* matchRegion(searched: SearchedRegion, target: Target, options: SearchOptions): Generator<FoundLine> {
  for (const raw of rawLines(searched, options.findCandidates)) {
    const scrubbed = scrubLine(raw, options.scrub);
    const { times } = searched;
    if (matchesFilter(options, scrubbed, target, () => scrubbed.atMs ?? times.of(raw, Infinity)))
      yield { raw, scrubbed, times };
  }
}

function* rawLines(searched: SearchedRegion, findCandidates: FindCandidates | undefined): Generator<RawLine> {
  const { bytes, start } = searched.region;
  if (findCandidates) {
    for (const range of findCandidates(bytes)) yield rawLine(searched, range);
    return;
  }
  const last = rangeAt(bytes, bytes.length);
  if (last.from < last.to) yield rawLine(searched, last);
  for (const { from, to } of blocksBackwards(bytes.subarray(0, Math.max(0, last.from - 1))))
    yield* splitLines(bytes.subarray(from, to), start + from).toReversed();
}

function rawLine({ region, isTorn }: SearchedRegion, { from, to }: Range): RawLine {
  const isLast = to === region.bytes.length;
  return {
    text: region.bytes.toString("utf8", from, to),
    size: to - from,
    offset: region.start + from,
    missing: isLast ? region.missing : 0,
    isTorn: isLast && isTorn,
  };
}

interface ContextLine {
  readonly raw: RawLine;
  readonly times: PrecedingTime;
  readonly match: FoundLine | undefined;
  isYielded: boolean;
}

/** Oldest first. Without a match, only as many lines as may be context. */
function withContext(
  searched: SearchedRegion,
  matches: readonly FoundLine[],
  following: readonly ContextLine[],
  { context }: SearchOptions,
): ContextLine[] {
  const byOffset = new Map(matches.map((match) => [match.raw.offset, match]));
  const isNear = matches.length > 0 || following.some(({ match }) => match !== undefined);
  const ranges = isNear
    ? [...rangesBackwards(searched.region.bytes)].toReversed()
    : takeFirstRanges(searched.region.bytes, context);
  const own = ranges.map((range): ContextLine => {
    const raw = rawLine(searched, range);
    return { raw, times: searched.times, match: byOffset.get(raw.offset), isYielded: false };
  });
  return [...own, ...(isNear ? following : [])];
}

function takeFirstRanges(bytes: Buffer, count: number): Range[] {
  const found: Range[] = [];
  for (let from = 0; found.length < count && from < bytes.length;) {
    const next = bytes.indexOf(NEWLINE, from);
    const to = next === -1 ? bytes.length : next;
    if (to > from) found.push({ from, to });
    from = to + 1;
  }
  return found;
}

function* linesWithContext(lines: readonly ContextLine[], { context, scrub }: SearchOptions): Generator<FoundLine> {
  const near = new Set<ContextLine>();
  lines.forEach(({ match }, index) => {
    if (match === undefined) return;
    for (const line of lines.slice(Math.max(0, index - context), index + context + 1)) near.add(line);
  });
  for (const line of lines.toReversed()) {
    if (line.isYielded || !near.has(line)) continue;
    line.isYielded = true;
    const { raw, times, match } = line;
    yield match ?? { raw, times, scrubbed: scrubLine(raw, scrub) };
  }
}

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
