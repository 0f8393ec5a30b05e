import type { LineScrubber } from "../../../logs/scrub.ts";

const NEWLINE = 0x0a;

export interface RawLine {
  readonly text: string;
  readonly size: number;
  readonly offset: number;
  /** Dropped, because the line is too long. */
  readonly missing: number;
  readonly isTorn: boolean;
  readonly block?: Block;
}

/** Searching each line separately for secrets takes four times as long. */
export class Block {
  readonly #text: string;
  #isClean: boolean | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  isCleanFor({ complete: whole }: LineScrubber): boolean {
    return (this.#isClean ??= whole(this.#text) === this.#text);
  }
}

/** @param start the offset of the bytes in the file */
export function linesOf(bytes: Buffer, start: number): RawLine[] {
  const whole = bytes.toString();
  const block = new Block(whole);
  const lines: RawLine[] = [];
  // In ASCII, each character is one byte.
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
