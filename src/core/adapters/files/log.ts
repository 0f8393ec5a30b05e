import { attempting, refuse } from "./file-error.ts";
import { close, fstat, isRefusal, O_RDONLY, open, read, SAFELY } from "./system.ts";

export interface OpenLog {
  readonly fd: number;
  readonly size: number;
  readonly writtenMs: number;
}

/** Does not follow links. @throws {FileError} if it cannot be read or is not a regular file */
export async function withLog<T>(path: string, use: (log: OpenLog) => Promise<T>): Promise<T | undefined> {
  return await attempting("read", path, async () => {
    const fd = await openIfThere(path);
    if (fd === undefined) return undefined;
    try {
      const stat = await fstat(fd);
      if (!stat.isFile()) throw refuse("ENOTREG", "read", path);
      return await use({ fd, size: Number(stat.size), writtenMs: Number(stat.mtimeMs) });
    } finally {
      await close(fd);
    }
  });
}

async function openIfThere(path: string): Promise<number | undefined> {
  try {
    return await open(path, O_RDONLY | SAFELY);
  } catch (error) {
    if (isRefusal(error, "ENOENT")) return undefined;
    if (isRefusal(error, "ENXIO", "ELOOP")) throw refuse("ENOTREG", "read", path);
    throw error;
  }
}

const CHUNK_BYTES = 64 * 1024;
/** Longer lines are never held in memory. */
const LONGEST_LINE_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

interface Step {
  readonly lines: readonly string[];
  readonly bytes: number;
}

export async function* linesBackwards(fd: number, size: number): AsyncGenerator<Step> {
  let rest = noBytes();
  for (let start = size; start > 0;) {
    const length = Math.min(CHUNK_BYTES, start);
    start -= length;
    const chunk = await readChunk(fd, start, length);
    const first = chunk.indexOf(NEWLINE);
    const isOnlyPart = first === -1;
    const lines = isOnlyPart ? [] : linesIn(prepend(chunk.subarray(first + 1), rest), chunk, first);
    rest = isOnlyPart ? prepend(chunk, rest) : prepend(chunk.subarray(0, first), noBytes());
    yield { lines, bytes: length };
  }
  yield { lines: isTooLong(rest) ? [] : split(Buffer.concat(rest.parts)), bytes: 0 };
}

interface Piece {
  readonly parts: readonly Buffer[];
  readonly length: number;
}

const noBytes = (): Piece => ({ parts: [], length: 0 });
const isTooLong = ({ length }: Piece): boolean => length > LONGEST_LINE_BYTES;

function prepend(part: Buffer, { parts, length }: Piece): Piece {
  const total = part.length + length;
  return { parts: total > LONGEST_LINE_BYTES ? [] : [part, ...parts], length: total };
}

function linesIn(piece: Piece, chunk: Buffer, first: number): string[] {
  if (!isTooLong(piece)) return split(Buffer.concat(piece.parts));
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
