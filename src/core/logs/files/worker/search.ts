import type { LineScrubber } from "../../scrub.ts";
import type { FindCandidates } from "./candidates.ts";
import { type LineFilter, matchesFilter, type RawLine, type ScrubbedLine, scrubLine, splitLines } from "./line.ts";
import type { PrecedingTime } from "./line-times.ts";
import type { Target } from "./process-list.ts";
import { blocksBackwards, NEWLINE, type Range, rangeAt, rangesBackwards, type Region } from "./regions.ts";

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
