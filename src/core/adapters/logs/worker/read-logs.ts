import { setImmediate as pause } from "node:timers/promises";
import { formatCursor, parseCursor, type LogPosition, type Sign } from "../../../logs/cursor.ts";
import { lineSize } from "../../../logs/line.ts";
import { createMatcher, type Matcher } from "../../../logs/match.ts";
import type { LogFilter, LogQuery } from "../../../ports/logs.ts";
import { packedLines, type KnownLine } from "../packed.ts";
import { LogFailure, type Page } from "../protocol.ts";
import { candidatesOf } from "./candidates.ts";
import { Source, type Found } from "./source.ts";
import { chosen, type Target } from "./targets.ts";
import type { World } from "./world.ts";

const DEFAULT_LIMIT = 100;
/** A cursor holds an offset for each file, and a header holds 8 KiB. */
const BOUNDS = { bytes: 256 * 2 ** 20, ms: 1000, textBytes: 4 * 2 ** 20, files: 200 };
const SLICE_MS = 10;

export interface Reading {
  readonly world: World;
  readonly sign: Sign;
  readonly onPause: () => void;
}

/** @throws {LogFailure} */
export async function readLogs(reading: Reading, query: LogQuery, upTo?: readonly LogPosition[]): Promise<Page> {
  const { world, sign } = reading;
  const { limit = DEFAULT_LIMIT, before, after } = query;
  await world.refresh();
  const targets = chosen(world.targets, world.names, query);
  if (query.isBounded && targets.length > BOUNDS.files) throw tooMany(targets.length);
  const from = upTo ?? (before === undefined ? undefined : trusted(before, sign));
  const floor = after === undefined ? [] : trusted(after, sign);
  const sources = sourcesOf(targets, { from, floor }, { world, query });
  const merging = new Merging(sources, query.isBounded === true, reading.onPause);
  const lines = await merging.newest(limit);
  const olders = merging.places();
  const newers = sources.flatMap(({ newest }) => newest ?? []);
  return {
    lines: packedLines(lines.toReversed()),
    older: olders.length === 0 ? null : formatCursor(olders, sign),
    newer: newers.length === 0 ? null : formatCursor(newers, sign),
    scannedBytes: sources.reduce((sum, { scannedBytes }) => sum + scannedBytes, 0),
    truncated: merging.isCut,
    problems: sources.flatMap(({ problem }) => problem ?? []),
  };
}

interface Ends {
  readonly from: readonly LogPosition[] | undefined;
  readonly floor: readonly LogPosition[];
}

function sourcesOf(
  targets: readonly Target[],
  { from, floor }: Ends,
  { world, query }: { readonly world: World; readonly query: LogQuery },
): Source[] {
  const { since = 0, until = Number.POSITIVE_INFINITY, context = 0, level } = query;
  const asked = {
    since,
    until,
    context,
    level,
    matches: matcherFor(query),
    candidates: candidatesOf(query),
    scrub: world.scrub,
  };
  return targets.flatMap((target) => {
    const start = from && placeOf(from, target);
    if (from !== undefined && start === undefined) return [];
    return [new Source(target, asked, start, placeOf(floor, target))];
  });
}

function placeOf(places: readonly LogPosition[], { log }: Target): LogPosition | undefined {
  return places.find((place) => place.log === log);
}

/** @throws {LogFailure} LOG_PATTERN_INVALID */
export function matcherFor(filter: Pick<LogFilter, "grep" | "regexp" | "ignoreCase">): Matcher {
  try {
    return createMatcher(filter);
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : String(error);
    throw new LogFailure(
      "INVALID_REQUEST",
      "LOG_PATTERN_INVALID",
      `${reason}. Accepted: a regular expression of JavaScript.`,
    );
  }
}

function trusted(cursor: string, sign: Sign): LogPosition[] {
  const places = parseCursor(cursor, sign);
  if (places !== undefined) return places;
  const details = "The cursor is wrong, or was made before this server started. Read again without it.";
  throw new LogFailure("INVALID_REQUEST", "LOG_CURSOR_STALE", details);
}

function tooMany(count: number): LogFailure {
  const details = `The processes have ${count} log files. Accepted: ${BOUNDS.files} at once. Name a process.`;
  return new LogFailure("INVALID_REQUEST", "LOG_TOO_MANY_FILES", details);
}

interface Head {
  readonly source: Source;
  readonly lines: Generator<Found | undefined>;
  found: Found | undefined;
}

class Merging {
  isCut = false;
  readonly #heads: Head[];
  readonly #isBounded: boolean;
  readonly #onPause: () => void;
  readonly #beganMs = performance.now();
  #pausedMs = performance.now();

  constructor(sources: readonly Source[], isBounded: boolean, onPause: () => void) {
    this.#heads = sources.map((source) => ({ source, lines: source.lines(), found: undefined }));
    this.#isBounded = isBounded;
    this.#onPause = onPause;
  }

  async newest(limit: number): Promise<KnownLine[]> {
    const lines: KnownLine[] = [];
    let bytes = 0;
    try {
      for (const head of this.#heads) await this.#advance(head);
      while (!this.isCut && lines.length < limit) {
        const head = this.#newestHead();
        if (head?.found === undefined) break;
        const { line } = head.found;
        bytes += lineSize(line);
        if (this.#isBounded && bytes > BOUNDS.textBytes && lines.length > 0) this.isCut = true;
        if (this.isCut) break;
        lines.push(line);
        const pausing = this.#advance(head);
        if (pausing) await pausing;
      }
      return lines;
    } finally {
      for (const { lines: reading } of this.#heads) reading.return(undefined);
    }
  }

  places(): LogPosition[] {
    return this.#heads.flatMap(({ found, source }) => found?.after ?? source.place ?? []);
  }

  #newestHead(): Head | undefined {
    let newest: Head | undefined;
    for (const head of this.#heads)
      if (head.found && (newest?.found === undefined || head.found.orderMs > newest.found.orderMs)) newest = head;
    return newest;
  }

  /** A promise takes longer than a line, so there is one only for a pause. */
  #advance(head: Head): Promise<void> | undefined {
    head.found = undefined;
    if (this.isCut) return undefined;
    const { done, value } = head.lines.next();
    if (!done && value === undefined) return this.#breathe().then(() => this.#advance(head));
    head.found = value;
    return undefined;
  }

  async #breathe(): Promise<void> {
    const now = performance.now();
    if (this.#isBounded) {
      const scanned = this.#heads.reduce((sum, { source }) => sum + source.scannedBytes, 0);
      if (scanned >= BOUNDS.bytes || now - this.#beganMs >= BOUNDS.ms) this.isCut = true;
    }
    if (now - this.#pausedMs < SLICE_MS) return;
    this.#onPause();
    await pause();
    this.#pausedMs = performance.now();
  }
}
