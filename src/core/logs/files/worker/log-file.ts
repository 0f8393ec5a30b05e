import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { foreignCode, type ErrorCode } from "../../../api/issue.ts";
import { errorCode } from "../../../words/thrown.ts";
import { logRefusal, type LogPlace } from "../../../files/log.ts";
import { NO_FOLLOW, O_RDONLY } from "../../../files/system.ts";

/** Applies to the compressed and the decompressed size. */
const MAX_ZIPPED_BYTES = 64 * 2 ** 20;

export class UnreadableLogError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, details: string) {
    super(details);
    this.code = code;
  }
}

export interface LogLocation extends LogPlace {
  readonly path: string;
}

export class LogFile {
  readonly inode: number;
  readonly size: number;
  readonly modifiedMs: number;
  readonly createdMs: number;
  readonly #fd: number;
  readonly #content: Buffer | undefined;

  constructor(location: LogLocation) {
    this.#fd = openLog(location);
    try {
      const stat = fstatSync(this.#fd);
      this.inode = stat.ino;
      this.modifiedMs = stat.mtimeMs;
      this.createdMs = stat.birthtimeMs;
      this.#content = location.path.endsWith(".gz") ? unzip(this.#fd, stat.size, location.path) : undefined;
      this.size = this.#content?.length ?? stat.size;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  read(into: Buffer, position: number): number {
    if (this.#content) return this.#content.copy(into, 0, position);
    return readAt(this.#fd, into, position);
  }

  currentSize(): number {
    return this.#content?.length ?? fstatSync(this.#fd).size;
  }

  close(): void {
    closeSync(this.#fd);
  }
}

function readAt(fd: number, into: Buffer, position: number): number {
  let filled = 0;
  while (filled < into.length) {
    const count = readSync(fd, into, filled, into.length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled;
}

function unzip(fd: number, size: number, path: string): Buffer {
  const tooLarge = new UnreadableLogError("EFBIG", `${path} has more than ${MAX_ZIPPED_BYTES / 2 ** 20} MiB of text.`);
  if (size > MAX_ZIPPED_BYTES) throw tooLarge;
  const zipped = Buffer.alloc(size);
  readAt(fd, zipped, 0);
  try {
    return gunzipSync(zipped, { maxOutputLength: MAX_ZIPPED_BYTES });
  } catch (error) {
    if (errorCode(error) === "ERR_BUFFER_TOO_LARGE") throw tooLarge;
    throw new UnreadableLogError("ENOTREG", `${path} is not compressed by gzip.`);
  }
}

function openLog({ path, ...place }: LogLocation): number {
  const fd = openFile(path);
  try {
    if (!fstatSync(fd).isFile()) throw notRegularError(path);
    const refusal = logRefusal(fd, path, place);
    if (refusal === "outside") throw outsideError(path);
    if (refusal === "other owner")
      throw new UnreadableLogError("EACCES", `${path} belongs to another user than PM2_HOME.`);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function openFile(path: string): number {
  try {
    return openSync(path, O_RDONLY | NO_FOLLOW);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ELOOP" || code === "ENXIO") throw notRegularError(path);
    throw new UnreadableLogError(foreignCode(code), `${path} cannot be read (${code}).`);
  }
}

function notRegularError(path: string): UnreadableLogError {
  return new UnreadableLogError("ENOTREG", `${path} is not a regular file. svcm follows no link and reads no pipe.`);
}

function outsideError(path: string): UnreadableLogError {
  const accepted =
    "Accepted: PM2_HOME, the folder of the app, and the folders of logFolders in svcm.yaml, for example logFolders: [/var/log/orders].";
  return new UnreadableLogError("EOUTSIDE", `${path} is outside of the folders that may hold logs. ${accepted}`);
}

const HEAD_BYTES = 64 * 1024;

/** The beginning of a file, still compressed; `undefined` if it may not be read. */
export function readHead(location: LogLocation): Buffer | undefined {
  try {
    const fd = openLog(location);
    try {
      const head = Buffer.alloc(HEAD_BYTES);
      return head.subarray(0, readAt(fd, head, 0));
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (error instanceof UnreadableLogError) return undefined;
    throw error;
  }
}

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
