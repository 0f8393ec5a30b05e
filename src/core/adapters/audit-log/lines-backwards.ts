import { read } from "../files/system.ts";

const CHUNK_BYTES = 64 * 1024;
/** No line of ours comes near it; what is longer is passed over without being held in memory. */
const LONGEST_LINE_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** The lines of a file of that size, the last one first, read from the end as far as asked for. */
export async function* linesBackwards(fd: number, size: number): AsyncGenerator<string> {
  let rest = noBytes();
  for (let start = size; start > 0;) {
    const length = Math.min(CHUNK_BYTES, start);
    start -= length;
    const chunk = await readChunk(fd, start, length);
    let end = chunk.length;
    for (let at = lastNewline(chunk, end); at >= 0; at = lastNewline(chunk, end)) {
      yield* text(prepend(chunk.subarray(at + 1, end), rest));
      rest = noBytes();
      end = at;
    }
    rest = prepend(chunk.subarray(0, end), rest);
  }
  yield* text(rest);
}

/** The bytes of a line as far as they are known, in pieces; only counted once they are too many. */
interface Piece {
  readonly parts: readonly Buffer[];
  readonly length: number;
}

const noBytes = (): Piece => ({ parts: [], length: 0 });

function prepend(part: Buffer, { parts, length }: Piece): Piece {
  const total = part.length + length;
  return { parts: total > LONGEST_LINE_BYTES ? [] : [part, ...parts], length: total };
}

function* text({ parts, length }: Piece): Generator<string> {
  if (length > 0 && length <= LONGEST_LINE_BYTES) yield Buffer.concat(parts).toString("utf8");
}

function lastNewline(chunk: Buffer, end: number): number {
  return end === 0 ? -1 : chunk.lastIndexOf(NEWLINE, end - 1);
}

async function readChunk(fd: number, start: number, length: number): Promise<Buffer> {
  const chunk = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const count = await read(fd, chunk.subarray(filled), start + filled);
    if (count === 0) break; // somebody made the file shorter
    filled += count;
  }
  return chunk.subarray(0, filled);
}
