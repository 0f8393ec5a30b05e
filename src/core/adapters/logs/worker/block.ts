import type { LineScrub } from "../../../logs/scrub.ts";

const NEWLINE = 0x0a;

/** A line as it is in the file, without its line break. */
export interface RawLine {
  readonly text: string;
  /** Bytes that the text takes in the file. */
  readonly size: number;
  readonly offset: number;
  /** Bytes of the line that were dropped because the line is too long. */
  readonly missing: number;
  /** True without a line break, so more of the line may follow. */
  readonly isTorn: boolean;
  /** The block of whole lines that it was read with. */
  readonly block?: Block;
}

/** Lines that are searched for secrets together. Searching each line separately takes four times as long. */
export class Block {
  readonly #text: string;
  #isClean: boolean | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** True if scrubbing changes none of the lines. */
  isCleanFor({ whole }: LineScrub): boolean {
    return (this.#isClean ??= whole(this.#text) === this.#text);
  }
}

/**
 * Returns the lines that are not blank.
 * @param bytes whole lines
 * @param start their offset in the file
 */
export function linesOf(bytes: Buffer, start: number): RawLine[] {
  const whole = bytes.toString();
  const block = new Block(whole);
  const lines: RawLine[] = [];
  // In ASCII, each character is one byte. Bytes that are not UTF-8 have no size as text.
  const isAscii = whole.length === bytes.length;
  let from = 0;
  for (const text of isAscii ? whole.split("\n") : textsOf(bytes)) {
    const size = text.length;
    if (size > 0) lines.push({ text: text.toString(), size, offset: start + from, missing: 0, isTorn: false, block });
    from += size + 1;
  }
  return lines;
}

function* textsOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from <= bytes.length;) {
    const next = bytes.indexOf(NEWLINE, from);
    const to = next === -1 ? bytes.length : next;
    yield bytes.subarray(from, to);
    from = to + 1;
  }
}
