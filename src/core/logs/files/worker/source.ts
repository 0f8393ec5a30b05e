import { statSync } from "node:fs";
import type { LogProblem } from "../../../api/logs.ts";
import type { LogPosition } from "../../log-line.ts";
import { cutNumber } from "../../rotated.ts";
import { type LineSource, type OutputLine, LogFailure } from "../protocol.ts";
import { createLineSource, momentBefore, outputLine, SLACK_MS } from "./line.ts";
import { findEndBefore, PrecedingTime, readFirstTime, type SearchOptions, searchRegions } from "./search.ts";
import { listCuts, openAtMoment, placeAfterCuts, listRotatedFiles } from "./rotated-files.ts";
import { LogFile, UnreadableLogError, NEWLINE, readableEnd, type Region, regionsBackwards } from "./log-file.ts";
import type { Target } from "./process-list.ts";

export interface SourceOptions extends SearchOptions {
  readonly since: number;
  readonly until: number;
}

export interface MatchedLine {
  readonly line: OutputLine;
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
  #from: LogPosition | undefined;
  #floor: LogPosition | undefined;
  #log: { readonly inode: number; readonly size: number; readonly cutId: string } | undefined;
  #isOver = false;

  constructor(target: Target, options: SourceOptions, from: LogPosition | undefined, floor: LogPosition | undefined) {
    this.target = target;
    this.#options = options;
    this.#from = from;
    this.#floor = floor;
    this.place = from;
  }

  /** Yields `undefined` when the caller may pause. @throws {LogFailure} LOG_CURSOR_STALE */
  /** True if svcm cut off the head of the log while it was read: lines may be missing, or there twice. */
  wasCut(): boolean {
    const log = this.#log;
    if (log === undefined) return false;
    const stat = statSync(this.target.path, { throwIfNoEntry: false });
    const isSmaller = stat?.ino === log.inode && stat.size < log.size;
    return isSmaller || (listCuts(this.target).done.at(-1)?.id ?? log.cutId) !== log.cutId;
  }

  *lines(): Generator<MatchedLine | undefined, undefined> {
    let isFound = this.#from === undefined;
    for (const path of this.#paths()) {
      const file = this.#open(path);
      if (file === undefined) continue;
      try {
        if (path === this.target.path) this.#afterCuts(file);
        const isFrom = !isFound && file.inode === this.#from?.inode;
        isFound ||= isFrom;
        if (isFound) yield* this.#linesIn(file, path, isFrom);
      } finally {
        file.close();
      }
      if (this.#isOver) return;
    }
    if (!isFound) throw staleError();
    this.place = undefined;
  }

  /** A place in the log may now be in a head that was cut off, or nearer to the beginning. @throws {LogFailure} */
  #afterCuts(file: LogFile): void {
    const move = (place: LogPosition | undefined): LogPosition | undefined =>
      place?.inode === file.inode ? placeAfterCuts(this.target, file, place) : place;
    const [from, floor] = [move(this.#from), move(this.#floor)];
    if ((this.#from !== undefined && from === undefined) || (this.#floor !== undefined && floor === undefined))
      throw staleError();
    this.#from = from;
    this.#floor = floor;
    this.place = from;
  }

  *#paths(): Generator<string> {
    yield this.target.path;
    yield* listRotatedFiles(this.target, this.#options.since);
  }

  #open(path: string): LogFile | undefined {
    try {
      if (path !== this.target.path) return new LogFile({ ...this.target, path });
      const { file, cutId } = openAtMoment(this.target);
      this.#log = { inode: file.inode, size: file.size, cutId };
      return file;
    } catch (error) {
      if (!(error instanceof UnreadableLogError)) throw error;
      const { app, stream } = this.target;
      if (error.code !== "ENOENT") this.problem ??= { app, stream, code: error.code, details: error.message };
      return undefined;
    }
  }

  *#linesIn(file: LogFile, path: string, isFrom: boolean): Generator<MatchedLine | undefined> {
    const { until, since } = this.#options;
    const { inode, modifiedMs, size } = file;
    const isLast = inode === this.#floor?.inode;
    const floor = isLast ? offsetOf(this.#floor) : 0;
    const ceiling = isFrom ? offsetOf(this.#from) : readableEnd(file, size);
    if (ceiling > size) throw staleError();
    this.newest ??= this.#placeIn(inode, ceiling);
    if (modifiedMs < since || ceiling < floor) return this.#end();
    const end = until < modifiedMs ? Math.min(ceiling, findEndBefore(file, size, until)) : ceiling;
    yield* this.#linesUpTo(file, createLineSource(this.target, path), floor, end);
    if (isLast) this.#end();
  }

  *#linesUpTo(file: LogFile, source: LineSource, floor: number, end: number): Generator<MatchedLine | undefined> {
    const { since, until, context } = this.#options;
    const { inode } = file;
    let orderMs = file.modifiedMs;
    // Nothing in the file is newer than its last change.
    let nextMs = file.modifiedMs;
    const regions = this.#searched(regionsBackwards(file, [floor, end], context > 0), end === file.size, file);
    for (const found of searchRegions(regions, this.target, this.#options)) {
      if (found === undefined) {
        yield undefined;
        continue;
      }
      const { raw, scrubbed, times } = found;
      const atMs = momentBefore(scrubbed, nextMs) ?? times.of(raw, nextMs);
      nextMs = Math.min(nextMs, atMs ?? nextMs);
      if (atMs !== null && atMs < since - SLACK_MS) return this.#end();
      if (atMs !== null && (atMs < since || atMs > until)) continue;
      orderMs = atMs ?? orderMs;
      this.place = this.#placeIn(inode, raw.offset);
      const after = this.#placeIn(inode, raw.offset + raw.size + raw.missing + 1);
      yield { line: outputLine(source, scrubbed, { atMs, offset: raw.offset }), orderMs, after };
    }
  }

  *#searched(regions: Iterable<Region>, isToEnd: boolean, { inode }: LogFile) {
    let isFirst = true;
    for (const region of regions) {
      this.scannedBytes += region.scanned;
      const isTorn = isFirst && isToEnd && region.bytes.at(-1) !== NEWLINE;
      isFirst = false;
      yield { region, isTorn, times: new PrecedingTime(region) };
      this.place = this.#placeIn(inode, region.start);
      // A search without a match has seen no line, and so no time.
      if ((readFirstTime(region) ?? this.#options.since) < this.#options.since - SLACK_MS) return this.#end();
    }
  }

  #placeIn(inode: number, offset: number): LogPosition {
    const { log, cutId } = { log: this.target.log, cutId: this.#log?.inode === inode ? this.#log.cutId : "" };
    return { log, inode, offset, cuts: cutNumber(cutId) };
  }

  #end(): void {
    this.#isOver = true;
    this.place = undefined;
  }
}

function offsetOf(place: LogPosition | undefined): number {
  return place?.offset ?? 0;
}

function staleError(): LogFailure {
  const details =
    "The log was rotated or emptied after the cursor was made. Accepted: a cursor of the current files. Read again without it.";
  return new LogFailure("INVALID_REQUEST", "LOG_CURSOR_STALE", details);
}
