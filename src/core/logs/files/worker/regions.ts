import type { LogFile } from "./log-file.ts";

const FIRST_BYTES = 64 * 1024;
/** Fits in a processor's cache. */
const MAX_BYTES = 256 * 1024;
const BLOCK_BYTES = 16 * 1024;
export const MAX_LINE_BYTES = 128 * 1024;
export const NEWLINE = 0x0a;
/** Then a last line without a line break counts as complete. */
const SETTLED_MS = 2000;
const NO_BYTES = Buffer.alloc(0);

export interface Region {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  readonly missing: number;
  readonly scanned: number;
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

interface Rest {
  readonly bytes: Buffer;
  readonly end: number;
  readonly missing: number;
}

/** @param isKept false if the bytes of a region are not used after the next region is taken */
export function* regionsBackwards(
  file: LogFile,
  [floor, ceiling]: readonly [number, number],
  isKept: boolean,
): Generator<Region> {
  let rest: Rest = { bytes: NO_BYTES, end: ceiling, missing: 0 };
  let size = FIRST_BYTES;
  let buffer = NO_BYTES;
  for (let end = ceiling; end > floor;) {
    const start = Math.max(floor, end - size);
    const needed = end - start + rest.bytes.length;
    if (isKept || buffer.length < needed) buffer = Buffer.allocUnsafe(needed);
    const read = buffer.subarray(0, file.read(buffer.subarray(0, end - start), start));
    rest.bytes.copy(buffer, read.length);
    const bytes = buffer.subarray(0, read.length + rest.bytes.length);
    const from = start === floor ? 0 : read.indexOf(NEWLINE) + 1;
    const isPart = start > floor && from === 0;
    if (isPart) rest = shorten({ ...rest, bytes });
    else {
      yield {
        bytes: bytes.subarray(from),
        start: start + from,
        end: rest.end,
        missing: rest.missing,
        scanned: read.length,
      };
      rest = { bytes: Buffer.from(read.subarray(0, Math.max(0, from - 1))), end: start + from, missing: 0 };
    }
    end = start;
    size = MAX_BYTES;
  }
}

function shorten({ bytes, end, missing }: Rest): Rest {
  const shortenedBytes = Buffer.from(bytes.subarray(0, MAX_LINE_BYTES));
  return { bytes: shortenedBytes, end, missing: missing + bytes.length - shortenedBytes.length };
}

export function* rangesBackwards(bytes: Buffer): Generator<Range> {
  for (let to = bytes.length; to > 0;) {
    const from = bytes.lastIndexOf(NEWLINE, to - 1) + 1;
    if (from < to) yield { from, to };
    to = from - 1;
  }
}

export function* blocksBackwards(bytes: Buffer): Generator<Range> {
  for (let to = bytes.length; to > 0;) {
    const from = to <= BLOCK_BYTES ? 0 : bytes.lastIndexOf(NEWLINE, to - BLOCK_BYTES) + 1;
    yield { from, to };
    to = from - 1;
  }
}

export function rangeAt(bytes: Buffer, at: number): Range {
  const from = at === 0 ? 0 : bytes.lastIndexOf(NEWLINE, at - 1) + 1;
  const next = bytes.indexOf(NEWLINE, at);
  return { from, to: next === -1 ? bytes.length : next };
}

/** The size if the last line is complete. */
export function tornLineStart(file: LogFile, size: number): number {
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - FIRST_BYTES);
    const block = Buffer.allocUnsafe(end - start);
    const found = block.subarray(0, file.read(block, start)).lastIndexOf(NEWLINE);
    if (found !== -1) return start + found + 1;
    end = start;
  }
  return 0;
}

/** A line that is still being written is left for later. */
export function readableEnd(file: LogFile, size: number): number {
  return Date.now() - file.modifiedMs > SETTLED_MS ? size : tornLineStart(file, size);
}
