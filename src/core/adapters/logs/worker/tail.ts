import { lstatSync } from "node:fs";
import { rotatedFiles } from "./chain.ts";
import type { LineSource } from "../packed.ts";
import { linesOf, type RawLine } from "./block.ts";
import { LogFile, Unreadable } from "./log-file.ts";
import { LONGEST_LINE_BYTES, startOfTorn } from "./regions.ts";
import { lineSource } from "./shown-line.ts";
import type { Target } from "./targets.ts";

const CHUNK_BYTES = 256 * 1024;
/** A faster log is read in several rounds. */
const MOST_CHUNKS = 16;
const MARK_BYTES = 64;
const MOST_COPIES = 5;
const LEAST_CHUNK_BYTES = 4096;
const NEWLINE = 0x0a;
const NOTHING = Buffer.alloc(0);
/** A program that has a moved file open may write to it until it opens its log again. */
const LEAVING_MS = 60_000;

/** Reads what is added to a file. */
class Reader {
  readonly file: LogFile;
  offset: number;
  heardMs: number;
  /** The last bytes that were read: if they change, the file was emptied. */
  #mark: Buffer = NOTHING;
  #begun: Buffer = NOTHING;
  #missing = 0;

  constructor(file: LogFile, offset: number, nowMs: number) {
    this.file = file;
    this.offset = offset;
    this.heardMs = nowMs;
    this.#remember();
  }

  /** The beginning of the line that is not whole yet. */
  get lineStart(): number {
    return this.offset - this.#begun.length - this.#missing;
  }

  wasEmptied(): boolean {
    return this.file.grown() < this.offset || !this.continues(this.file);
  }

  /** True if the file has the bytes that were read last, at the same place. */
  continues(file: LogFile): boolean {
    const bytes = Buffer.alloc(this.#mark.length);
    const count = file.read(bytes, this.offset - this.#mark.length);
    return count === bytes.length && bytes.equals(this.#mark);
  }

  *added(from: LogFile, nowMs: number): Generator<RawLine> {
    for (let count = 0; count < MOST_CHUNKS; count += 1) {
      const size = Math.min(CHUNK_BYTES, from.grown() - this.offset);
      if (size <= 0) break;
      const chunk = Buffer.allocUnsafe(Math.max(size, LEAST_CHUNK_BYTES));
      const bytes = chunk.subarray(0, from.read(chunk, this.offset));
      if (bytes.length === 0) break;
      this.heardMs = nowMs;
      yield* this.#linesOf(bytes);
      this.offset += bytes.length;
    }
    if (from === this.file) this.#remember();
  }

  restart(): void {
    this.offset = 0;
    this.#mark = NOTHING;
  }

  /** A line that will not be continued. */
  *torn(): Generator<RawLine> {
    if (this.#begun.length > 0) yield this.#line(NOTHING, this.lineStart, true);
  }

  *#linesOf(bytes: Buffer): Generator<RawLine> {
    const first = bytes.indexOf(NEWLINE);
    if (first === -1) return this.#keep(bytes);
    const line = this.#line(bytes.subarray(0, first), this.lineStart, false);
    if (line.size > 0) yield line;
    const last = bytes.lastIndexOf(NEWLINE);
    if (last > first) yield* linesOf(bytes.subarray(first + 1, last), this.offset + first + 1);
    this.#keep(bytes.subarray(last + 1));
  }

  #keep(bytes: Buffer): void {
    const whole = this.#begun.length === 0 ? bytes : Buffer.concat([this.#begun, bytes]);
    this.#begun = whole.subarray(0, LONGEST_LINE_BYTES);
    this.#missing += whole.length - this.#begun.length;
  }

  #line(end: Buffer, offset: number, isTorn: boolean): RawLine {
    this.#keep(end);
    const line = { text: this.#begun.toString(), size: this.#begun.length, offset, missing: this.#missing, isTorn };
    this.#begun = NOTHING;
    this.#missing = 0;
    return line;
  }

  #remember(): void {
    const mark = Buffer.alloc(Math.min(MARK_BYTES, this.offset));
    this.#mark = mark.subarray(0, this.file.read(mark, this.offset - mark.length));
  }
}

/** Follows a log: what is added to it, while it is moved, copied, emptied and made again. */
export class Tail {
  readonly target: Target;
  readonly source: LineSource;
  /** The time of its last line that had one. */
  lastMs: number | null = null;
  #reader: Reader | undefined;
  /** Files that were moved away. */
  #leaving: Reader[] = [];

  /** @param sinceMs a file that was made later is read from its beginning */
  constructor(target: Target, sinceMs: number, nowMs: number) {
    this.target = target;
    this.source = lineSource(target, target.path);
    const file = this.#open();
    if (file) this.#reader = new Reader(file, file.bornMs > sinceMs ? 0 : startOfTorn(file, file.size), nowMs);
  }

  /** The inode of its file, and the beginning of the next line. */
  get place(): { readonly inode: number; readonly offset: number } | undefined {
    return this.#reader && { inode: this.#reader.file.inode, offset: this.#reader.lineStart };
  }

  *added(nowMs: number): Generator<RawLine> {
    yield* this.#ofMoved(nowMs);
    const reader = this.#reader;
    if (reader) {
      if (reader.wasEmptied()) yield* this.#afterEmptying(reader, nowMs);
      yield* reader.added(reader.file, nowMs);
    }
    if (!this.#isReplaced()) return;
    const file = this.#open();
    if (file === undefined) return;
    if (reader) yield* this.#left(reader, nowMs);
    this.#reader = new Reader(file, 0, nowMs);
    yield* this.#reader.added(file, nowMs);
  }

  /** The files that were made and moved after the reader's file, before anything was read from them. */
  *#left(reader: Reader, nowMs: number): Generator<RawLine> {
    const known = new Set(this.#leaving.map(({ file }) => file.inode));
    this.#leaving.push(reader);
    const rotated = rotatedFiles(this.target)
      .slice(0, MOST_COPIES)
      .flatMap((path) => this.#open(path) ?? []);
    const own = rotated.findIndex(({ inode }) => inode === reader.file.inode);
    // The newest is the first. Without the reader's own file, none of them is known to be younger.
    const isMissed = (file: LogFile, index: number): boolean => index < own && !known.has(file.inode);
    const missed = rotated.filter(isMissed);
    for (const file of rotated) if (!missed.includes(file)) file.close();
    for (const file of missed.toReversed()) {
      const next = new Reader(file, 0, nowMs);
      this.#leaving.push(next);
      yield* next.added(file, nowMs);
    }
  }

  close(): void {
    for (const { file } of [...this.#leaving, ...(this.#reader ? [this.#reader] : [])]) file.close();
  }

  *#ofMoved(nowMs: number): Generator<RawLine> {
    const staying: Reader[] = [];
    for (const reader of this.#leaving) {
      yield* reader.added(reader.file, nowMs);
      if (nowMs - reader.heardMs < LEAVING_MS) staying.push(reader);
      else {
        yield* reader.torn();
        reader.file.close();
      }
    }
    this.#leaving = staying;
  }

  /** If a log was copied before it was emptied, the copy has the lines that were not read yet. */
  *#afterEmptying(reader: Reader, nowMs: number): Generator<RawLine> {
    for (const path of rotatedFiles(this.target).slice(0, MOST_COPIES)) {
      const copy = this.#open(path);
      if (copy === undefined) continue;
      try {
        if (copy.size < reader.offset || !reader.continues(copy)) continue;
        yield* reader.added(copy, nowMs);
        break;
      } finally {
        copy.close();
      }
    }
    yield* reader.torn();
    reader.restart();
  }

  #isReplaced(): boolean {
    try {
      return lstatSync(this.target.path).ino !== this.#reader?.file.inode;
    } catch {
      return false;
    }
  }

  #open(path = this.target.path): LogFile | undefined {
    try {
      return new LogFile({ ...this.target, path });
    } catch (error) {
      if (error instanceof Unreadable) return undefined;
      throw error;
    }
  }
}
