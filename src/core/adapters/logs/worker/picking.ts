import type { Candidates } from "./candidates.ts";
import { linesOf, type RawLine } from "./block.ts";
import { blocksBackwards, rangeAt, rangesBackwards, type Range, type Region } from "./regions.ts";
import { isWanted, scrubbed, type ScrubbedLine, type Wanted } from "./shown-line.ts";
import type { LineScrubber } from "../../../logs/scrub.ts";
import type { Target } from "./targets.ts";
import type { TimeBefore } from "./time-before.ts";

export interface Searched {
  readonly region: Region;
  readonly isTorn: boolean;
  readonly times: TimeBefore;
}

export interface Picked {
  readonly raw: RawLine;
  readonly clean: ScrubbedLine;
  readonly times: TimeBefore;
}

interface Searching extends Wanted {
  readonly context: number;
  readonly candidates: Candidates | undefined;
  readonly scrub: LineScrubber;
}

/** Last line first, and `undefined` after each region. */
export function* wantedLines(
  regions: Iterable<Searched>,
  target: Target,
  asked: Searching,
): Generator<Picked | undefined> {
  let later: Neighbour[] = [];
  for (const searched of regions) {
    const hits = matching(searched, target, asked);
    if (asked.context === 0) yield* hits;
    else {
      const lines = withNeighbours(searched, [...hits], later, asked);
      yield* pickedOf(lines, asked);
      later = lines.slice(0, asked.context);
    }
    yield undefined;
  }
}

function* matching(searched: Searched, target: Target, asked: Searching): Generator<Picked> {
  for (const raw of rawLines(searched, asked.candidates)) {
    const clean = scrubbed(raw, asked.scrub);
    if (isWanted(asked, clean, target)) yield { raw, clean, times: searched.times };
  }
}

function* rawLines(searched: Searched, candidates: Candidates | undefined): Generator<RawLine> {
  const { bytes, start } = searched.region;
  if (candidates) {
    for (const range of candidates(bytes)) yield rawLine(searched, range);
    return;
  }
  const last = rangeAt(bytes, bytes.length);
  if (last.from < last.to) yield rawLine(searched, last);
  for (const { from, to } of blocksBackwards(bytes.subarray(0, Math.max(0, last.from - 1))))
    yield* linesOf(bytes.subarray(from, to), start + from).toReversed();
}

function rawLine({ region, isTorn }: Searched, { from, to }: Range): RawLine {
  const isLast = to === region.bytes.length;
  return {
    text: region.bytes.toString("utf8", from, to),
    size: to - from,
    offset: region.start + from,
    missing: isLast ? region.missing : 0,
    isTorn: isLast && isTorn,
  };
}

interface Neighbour {
  readonly raw: RawLine;
  readonly times: TimeBefore;
  readonly hit: Picked | undefined;
  isShown: boolean;
}

/** Oldest first. Without a match, only as many lines as may be context. */
function withNeighbours(
  searched: Searched,
  hits: readonly Picked[],
  later: readonly Neighbour[],
  { context }: Searching,
): Neighbour[] {
  const byOffset = new Map(hits.map((hit) => [hit.raw.offset, hit]));
  const isNear = hits.length > 0 || later.some(({ hit }) => hit !== undefined);
  const ranges = isNear
    ? [...rangesBackwards(searched.region.bytes)].toReversed()
    : firstRanges(searched.region.bytes, context);
  const own = ranges.map((range): Neighbour => {
    const raw = rawLine(searched, range);
    return { raw, times: searched.times, hit: byOffset.get(raw.offset), isShown: false };
  });
  return [...own, ...(isNear ? later : [])];
}

function firstRanges(bytes: Buffer, count: number): Range[] {
  const found: Range[] = [];
  for (let from = 0; found.length < count && from < bytes.length;) {
    const next = bytes.indexOf(0x0a, from);
    const to = next === -1 ? bytes.length : next;
    if (to > from) found.push({ from, to });
    from = to + 1;
  }
  return found;
}

function* pickedOf(lines: readonly Neighbour[], { context, scrub }: Searching): Generator<Picked> {
  const near = new Set<Neighbour>();
  lines.forEach(({ hit }, index) => {
    if (hit === undefined) return;
    for (const line of lines.slice(Math.max(0, index - context), index + context + 1)) near.add(line);
  });
  for (const line of lines.toReversed()) {
    if (line.isShown || !near.has(line)) continue;
    line.isShown = true;
    const { raw, times, hit } = line;
    yield hit ?? { raw, times, clean: scrubbed(raw, scrub) };
  }
}
