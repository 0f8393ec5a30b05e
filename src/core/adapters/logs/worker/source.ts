import type { LogProblem } from "../../../api/logs.ts";
import type { LogPosition } from "../../../logs/cursor.ts";
import type { LineScrubber } from "../../../logs/scrub.ts";
import type { KnownLine, LineSource } from "../packed.ts";
import { LogFailure } from "../protocol.ts";
import type { Candidates } from "./candidates.ts";
import { endBefore, presentEnd, SLACK_MS } from "./ceiling.ts";
import { rotatedFiles } from "./chain.ts";
import { LogFile, Unreadable } from "./log-file.ts";
import { wantedLines } from "./picking.ts";
import { regionsBackwards, type Region } from "./regions.ts";
import { knownLine, lineSource, type Wanted } from "./shown-line.ts";
import { firstTimeOf, TimeBefore } from "./time-before.ts";
import type { Target } from "./targets.ts";

export interface SourceOptions extends Wanted {
  readonly since: number;
  readonly until: number;
  readonly context: number;
  readonly candidates: Candidates | undefined;
  readonly scrub: LineScrubber;
}

export interface Found {
  readonly line: KnownLine;
  /** Its own time, or that of a later line. */
  readonly orderMs: number;
  readonly after: LogPosition;
}

export class Source {
  readonly target: Target;
  scannedBytes = 0;
  problem: LogProblem | undefined;
  newest: LogPosition | undefined;
  /** `undefined` if there are no older lines. */
  place: LogPosition | undefined;
  readonly #options: SourceOptions;
  readonly #from: LogPosition | undefined;
  readonly #floor: LogPosition | undefined;
  #isOver = false;

  /**
   * @param from the upper bound of the lines
   * @param floor the lower bound
   */
  constructor(target: Target, options: SourceOptions, from: LogPosition | undefined, floor: LogPosition | undefined) {
    this.target = target;
    this.#options = options;
    this.#from = from;
    this.#floor = floor;
    this.place = from;
  }

  /** Yields `undefined` when the caller may pause. @throws {LogFailure} LOG_CURSOR_STALE */
  *lines(): Generator<Found | undefined, undefined> {
    let isFound = this.#from === undefined;
    for (const path of this.#paths()) {
      const file = this.#open(path);
      if (file === undefined) continue;
      try {
        const isFrom = !isFound && file.inode === this.#from?.inode;
        isFound ||= isFrom;
        if (isFound) yield* this.#linesOf(file, path, isFrom);
      } finally {
        file.close();
      }
      if (this.#isOver) return;
    }
    if (!isFound) throw stale();
    this.place = undefined;
  }

  *#paths(): Generator<string> {
    yield this.target.path;
    yield* rotatedFiles(this.target, this.#options.since);
  }

  #open(path: string): LogFile | undefined {
    try {
      return new LogFile({ ...this.target, path });
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      const { app, stream } = this.target;
      if (error.code !== "ENOENT") this.problem ??= { app, stream, code: error.code, details: error.message };
      return undefined;
    }
  }

  *#linesOf(file: LogFile, path: string, isFrom: boolean): Generator<Found | undefined> {
    const { until, since } = this.#options;
    const { inode, modifiedMs, size } = file;
    const isLast = inode === this.#floor?.inode;
    const floor = isLast ? offsetOf(this.#floor) : 0;
    const ceiling = isFrom ? offsetOf(this.#from) : presentEnd(file, size);
    if (ceiling > size) throw stale();
    this.newest ??= { log: this.target.log, inode, offset: ceiling };
    if (modifiedMs < since || ceiling < floor) return this.#end();
    const end = until < modifiedMs ? Math.min(ceiling, endBefore(file, size, until)) : ceiling;
    yield* this.#linesUpTo(file, lineSource(this.target, path), floor, end);
    if (isLast) this.#end();
  }

  *#linesUpTo(file: LogFile, source: LineSource, floor: number, end: number): Generator<Found | undefined> {
    const { log } = this.target;
    const { since, until, context } = this.#options;
    const { inode } = file;
    let orderMs = file.modifiedMs;
    const regions = this.#counted(regionsBackwards(file, [floor, end], context > 0), end === file.size, file);
    for (const picked of wantedLines(regions, this.target, this.#options)) {
      if (picked === undefined) {
        yield undefined;
        continue;
      }
      const { raw, clean, times } = picked;
      const atMs = clean.atMs ?? times.of(raw);
      if (atMs !== null && atMs < since - SLACK_MS) return this.#end();
      if (atMs !== null && (atMs < since || atMs > until)) continue;
      orderMs = atMs ?? orderMs;
      this.place = { log, inode, offset: raw.offset };
      const after = { log, inode, offset: raw.offset + raw.size + raw.missing + 1 };
      yield { line: knownLine(source, clean, { atMs, offset: raw.offset }), orderMs, after };
    }
  }

  *#counted(regions: Iterable<Region>, isToEnd: boolean, { inode }: LogFile) {
    let isFirst = true;
    for (const region of regions) {
      this.scannedBytes += region.scanned;
      const isTorn = isFirst && isToEnd && region.bytes.at(-1) !== 0x0a;
      isFirst = false;
      yield { region, isTorn, times: new TimeBefore(region) };
      this.place = { log: this.target.log, inode, offset: region.start };
      // A search without a match has seen no line, and so no time.
      if ((firstTimeOf(region) ?? this.#options.since) < this.#options.since - SLACK_MS) return this.#end();
    }
  }

  #end(): void {
    this.#isOver = true;
    this.place = undefined;
  }
}

function offsetOf(place: LogPosition | undefined): number {
  return place?.offset ?? 0;
}

function stale(): LogFailure {
  const details =
    "The log was rotated or emptied after the cursor was made. Accepted: a cursor of the current files. Read again without it.";
  return new LogFailure("INVALID_REQUEST", "LOG_CURSOR_STALE", details);
}
