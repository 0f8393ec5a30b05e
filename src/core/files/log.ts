import { fstatSync, realpathSync } from "node:fs";
import { sep } from "node:path";
import {
  attempt,
  descriptorPath,
  fileError,
  close,
  fstat,
  hasErrorCode,
  NO_FOLLOW,
  O_RDONLY,
  openIfExists,
  read,
} from "./system.ts";

export interface OpenLog {
  readonly fd: number;
  readonly size: number;
  readonly writtenMs: number;
}

/** A log may be in one of the folders, and with this owner if the superuser reads it. */
export interface LogPlace {
  readonly folders: readonly string[];
  readonly owner: number;
}

/** The owner of an app chooses the path of its log, so svcm shows nothing outside of the folders. */
export function logRefusal(
  fd: number,
  path: string,
  { folders, owner }: LogPlace,
): "outside" | "other owner" | undefined {
  const stat = fstatSync(fd, { bigint: true });
  if (!isInside(descriptorPath(fd, stat) ?? realpathSync(path), folders)) return "outside";
  return isOfOther(fd, owner) ? "other owner" : undefined;
}

/** The superuser may read files that the user of PM2 may not. */
export function isOfOther(fd: number, owner: number): boolean {
  return process.getuid?.() === 0 && fstatSync(fd).uid !== owner;
}

function isInside(real: string, folders: readonly string[]): boolean {
  return folders.some((folder) => {
    const root = realFolder(folder);
    return root !== undefined && root !== sep && real.startsWith(root + sep);
  });
}

function realFolder(folder: string): string | undefined {
  try {
    return realpathSync(folder);
  } catch {
    return undefined;
  }
}

/** Does not follow links. @throws {FileError} if it cannot be read or is not a regular file */
export async function withLogFile<T>(path: string, use: (log: OpenLog) => Promise<T>): Promise<T | undefined> {
  return await attempt("read", path, async () => {
    const fd = await openIfExists(path, O_RDONLY | NO_FOLLOW).catch((error: unknown) => {
      throw hasErrorCode(error, "ENXIO", "ELOOP") ? fileError("ENOTREG", "read", path) : error;
    });
    if (fd === undefined) return undefined;
    try {
      const stat = await fstat(fd);
      if (!stat.isFile()) throw fileError("ENOTREG", "read", path);
      return await use({ fd, size: Number(stat.size), writtenMs: Number(stat.mtimeMs) });
    } finally {
      await close(fd);
    }
  });
}

const CHUNK_BYTES = 64 * 1024;
/** Longer lines are never held in memory. */
const MAX_LINE_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

interface LineChunk {
  readonly lines: readonly string[];
  readonly bytes: number;
}

export async function* readLinesBackwards(fd: number, size: number): AsyncGenerator<LineChunk> {
  let rest = noParts();
  for (let start = size; start > 0;) {
    const length = Math.min(CHUNK_BYTES, start);
    start -= length;
    const chunk = await readChunk(fd, start, length);
    const first = chunk.indexOf(NEWLINE);
    const isPart = first === -1;
    const lines = isPart ? [] : linesIn(prepend(chunk.subarray(first + 1), rest), chunk, first);
    rest = isPart ? prepend(chunk, rest) : prepend(chunk.subarray(0, first), noParts());
    yield { lines, bytes: length };
  }
  yield { lines: isTooLong(rest) ? [] : split(Buffer.concat(rest.parts)), bytes: 0 };
}

interface LineParts {
  readonly parts: readonly Buffer[];
  readonly length: number;
}

const noParts = (): LineParts => ({ parts: [], length: 0 });
const isTooLong = ({ length }: LineParts): boolean => length > MAX_LINE_BYTES;

function prepend(part: Buffer, { parts, length }: LineParts): LineParts {
  const total = part.length + length;
  return { parts: total > MAX_LINE_BYTES ? [] : [part, ...parts], length: total };
}

function linesIn(rest: LineParts, chunk: Buffer, first: number): string[] {
  if (!isTooLong(rest)) return split(Buffer.concat(rest.parts));
  return split(chunk.subarray(first + 1, Math.max(first + 1, chunk.lastIndexOf(NEWLINE))));
}

function split(bytes: Buffer): string[] {
  return bytes.toString("utf8").split("\n").toReversed();
}

async function readChunk(fd: number, start: number, length: number): Promise<Buffer> {
  const chunk = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const count = await read(fd, chunk.subarray(filled), start + filled);
    if (count === 0) break; // another program truncated the file
    filled += count;
  }
  return chunk.subarray(0, filled);
}
