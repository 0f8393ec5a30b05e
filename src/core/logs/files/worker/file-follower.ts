import { type RawLine, splitLines } from "./line.ts";
import { type LogFile, MAX_LINE_BYTES, NEWLINE } from "./log-file.ts";

/** For a larger chunk, the kernel clears new pages each time. */
const CHUNK_BYTES = 64 * 1024;
const MAX_CHUNKS = 64;
/** Several lines: those of one program often have the same length and ending, and differ in a number. */
const LAST_BYTES_LENGTH = 1024;
const MIN_CHUNK_BYTES = 4096;
const NO_BYTES = Buffer.alloc(0);

export class FileFollower {
  readonly file: LogFile;
  offset: number;
  lastReadMs: number;
  /** If these bytes change, the file was truncated. */
  #lastBytes: Buffer = NO_BYTES;
  #partial: Buffer = NO_BYTES;
  #missing = 0;
  /** A smaller file was emptied or cut. */
  #knownSize = 0;

  constructor(file: LogFile, offset: number, nowMs: number) {
    this.file = file;
    this.offset = offset;
    this.lastReadMs = nowMs;
    this.#readLastBytes();
  }

  get lineStart(): number {
    return this.offset - this.#partial.length - this.#missing;
  }

  /** So little was read that a log with another beginning may look the same. */
  get hasReadLittle(): boolean {
    return this.#lastBytes.length < LAST_BYTES_LENGTH;
  }

  wasTruncated(): boolean {
    return this.file.currentSize() < Math.max(this.offset, this.#knownSize) || !this.isContinuedBy(this.file);
  }

  isContinuedBy(file: LogFile): boolean {
    const bytes = Buffer.alloc(this.#lastBytes.length);
    const count = file.read(bytes, this.offset - this.#lastBytes.length);
    return count === bytes.length && bytes.equals(this.#lastBytes);
  }

  readAdded(from: LogFile, nowMs: number): RawLine[] {
    const lines: RawLine[] = [];
    let fileSize = from.currentSize();
    for (let count = 0; count < MAX_CHUNKS; count += 1) {
      const size = Math.min(CHUNK_BYTES, fileSize - this.offset);
      if (size <= 0) break;
      const chunk = Buffer.allocUnsafe(Math.max(size, MIN_CHUNK_BYTES));
      const bytes = chunk.subarray(0, from.read(chunk, this.offset));
      const before = fileSize;
      fileSize = from.currentSize();
      // Cut off while it was read, so these bytes may be those of another place.
      if (bytes.length === 0 || fileSize < before || (from === this.file && !this.isContinuedBy(from))) break;
      this.lastReadMs = nowMs;
      for (const line of this.#splitLines(bytes)) lines.push(line);
      this.offset += bytes.length;
      this.#lastBytes = Buffer.concat([this.#lastBytes, bytes.subarray(-LAST_BYTES_LENGTH)]).subarray(
        -LAST_BYTES_LENGTH,
      );
      if (from === this.file) this.#knownSize = Math.max(this.#knownSize, fileSize);
    }
    return lines;
  }

  restart(): void {
    this.offset = 0;
    this.#lastBytes = NO_BYTES;
    this.#knownSize = 0;
  }

  /**
   * Goes on in a file whose head was cut off. It may be cut again meanwhile, so nothing is read here.
   * @param copied the size of the head's copy, up to which the file has other bytes now
   */
  moveBack(bytes: number, copied: number): void {
    const kept = Math.min(this.#lastBytes.length, this.offset - copied);
    this.#lastBytes = this.#lastBytes.subarray(this.#lastBytes.length - kept);
    this.offset -= bytes;
    this.#knownSize = 0;
  }

  takeTornLine(): RawLine[] {
    return this.#partial.length > 0 ? [this.#completeLine(NO_BYTES, this.lineStart, true)] : [];
  }

  #splitLines(bytes: Buffer): RawLine[] {
    const first = bytes.indexOf(NEWLINE);
    if (first === -1) {
      this.#appendPartial(bytes);
      return [];
    }
    const line = this.#completeLine(bytes.subarray(0, first), this.lineStart, false);
    const last = bytes.lastIndexOf(NEWLINE);
    const more = last > first ? splitLines(bytes.subarray(first + 1, last), this.offset + first + 1) : [];
    this.#appendPartial(bytes.subarray(last + 1));
    return line.size > 0 ? [line, ...more] : more;
  }

  #appendPartial(bytes: Buffer): void {
    const joined = this.#partial.length === 0 ? bytes : Buffer.concat([this.#partial, bytes]);
    this.#partial = joined.subarray(0, MAX_LINE_BYTES);
    this.#missing += joined.length - this.#partial.length;
  }

  #readLastBytes(): void {
    const lastBytes = Buffer.alloc(Math.min(LAST_BYTES_LENGTH, this.offset));
    this.#lastBytes = lastBytes.subarray(0, this.file.read(lastBytes, this.offset - lastBytes.length));
  }

  #completeLine(end: Buffer, offset: number, isTorn: boolean): RawLine {
    this.#appendPartial(end);
    const line = { text: this.#partial.toString(), size: this.#partial.length, offset, missing: this.#missing, isTorn };
    this.#partial = NO_BYTES;
    this.#missing = 0;
    return line;
  }
}
