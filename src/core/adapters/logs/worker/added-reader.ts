import { linesOf, type RawLine } from "./block.ts";
import type { LogFile } from "./log-file.ts";
import { LONGEST_LINE_BYTES } from "./regions.ts";

/** For a larger chunk, the kernel clears new pages each time. */
const CHUNK_BYTES = 64 * 1024;
const MOST_CHUNKS = 64;
const MARK_BYTES = 64;
const LEAST_CHUNK_BYTES = 4096;
const NEWLINE = 0x0a;
const NOTHING = Buffer.alloc(0);

export class AddedReader {
  readonly file: LogFile;
  offset: number;
  heardMs: number;
  /** If these bytes change, the file was truncated. */
  #mark: Buffer = NOTHING;
  #begun: Buffer = NOTHING;
  #missing = 0;

  constructor(file: LogFile, offset: number, nowMs: number) {
    this.file = file;
    this.offset = offset;
    this.heardMs = nowMs;
    this.#remember();
  }

  get lineStart(): number {
    return this.offset - this.#begun.length - this.#missing;
  }

  wasEmptied(): boolean {
    return this.file.grown() < this.offset || !this.continues(this.file);
  }

  continues(file: LogFile): boolean {
    const bytes = Buffer.alloc(this.#mark.length);
    const count = file.read(bytes, this.offset - this.#mark.length);
    return count === bytes.length && bytes.equals(this.#mark);
  }

  added(from: LogFile, nowMs: number): RawLine[] {
    const lines: RawLine[] = [];
    for (let count = 0; count < MOST_CHUNKS; count += 1) {
      const size = Math.min(CHUNK_BYTES, from.grown() - this.offset);
      if (size <= 0) break;
      const chunk = Buffer.allocUnsafe(Math.max(size, LEAST_CHUNK_BYTES));
      const bytes = chunk.subarray(0, from.read(chunk, this.offset));
      if (bytes.length === 0) break;
      this.heardMs = nowMs;
      for (const line of this.#linesOf(bytes)) lines.push(line);
      this.offset += bytes.length;
    }
    if (from === this.file) this.#remember();
    return lines;
  }

  restart(): void {
    this.offset = 0;
    this.#mark = NOTHING;
  }

  torn(): RawLine[] {
    return this.#begun.length > 0 ? [this.#line(NOTHING, this.lineStart, true)] : [];
  }

  #linesOf(bytes: Buffer): RawLine[] {
    const first = bytes.indexOf(NEWLINE);
    if (first === -1) {
      this.#keep(bytes);
      return [];
    }
    const line = this.#line(bytes.subarray(0, first), this.lineStart, false);
    const last = bytes.lastIndexOf(NEWLINE);
    const more = last > first ? linesOf(bytes.subarray(first + 1, last), this.offset + first + 1) : [];
    this.#keep(bytes.subarray(last + 1));
    return line.size > 0 ? [line, ...more] : more;
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
