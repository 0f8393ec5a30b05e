import { findForms } from "../../../secrets/redact.ts";
import { type Range, rangeAt } from "./regions.ts";

/** The lines that masking may change. Does not depend on the text that is searched. */
export type FindSecretLines = (bytes: Buffer) => readonly Range[];

const PART_BYTES = 3;
const TABLE_SIZE = 2 ** 16;
const AT = 0x40;
/** A word with a name and a password. */
const USERINFO = /[a-z0-9]:[/\\]+\S*@/i;

interface Part {
  readonly text: Uint8Array;
  /** Of the part in the text, which is folded. */
  readonly offset: number;
}

/**
 * Looks at three bytes here and there, closer to each other than the shortest text is long. A pattern takes twice as
 * long for one text as this takes for hundreds.
 */
export function createSecretLineFinder(texts: readonly string[]): FindSecretLines {
  const parts = new Map<number, Part[]>();
  const isPart = new Uint8Array(TABLE_SIZE);
  const all = texts.map((text) => Buffer.from(text).map(fold)).filter(({ length }) => length >= PART_BYTES);
  for (const text of all)
    for (let offset = 0; offset + PART_BYTES <= text.length; offset += 1) {
      const hash = hashAt(text, offset);
      isPart[hash] = 1;
      const same = parts.get(hash) ?? [];
      parts.set(hash, same);
      same.push({ text, offset });
    }
  const stride = all.length === 0 ? Infinity : Math.min(...all.map(({ length }) => length)) - PART_BYTES + 1;
  const isText = (bytes: Buffer, at: number): boolean =>
    parts.get(hashAt(bytes, at))?.some((part) => isIn(bytes, at, part)) === true;
  return (bytes) => {
    const found: Range[] = [];
    for (let at = 0; at + PART_BYTES <= bytes.length;) {
      if (isPart[hashAt(bytes, at)] === 1 && isText(bytes, at)) {
        const line = rangeAt(bytes, at);
        found.push(line);
        at = line.to + 1;
      } else at += stride;
    }
    return [...found, ...linesWithUserinfo(bytes), ...linesWithForms(bytes)];
  };
}

/** So that capitals make no difference. It also joins some marks, which is harmless. */
function fold(byte: number): number {
  return byte | 0x20;
}

function isIn(bytes: Buffer, at: number, { text, offset }: Part): boolean {
  const from = at - offset;
  if (from < 0 || from + text.length > bytes.length) return false;
  return text.every((byte, index) => byte === fold(bytes[from + index] as number));
}

function hashAt(bytes: Uint8Array, at: number): number {
  const folded = fold(bytes[at] as number) + fold(bytes[at + 1] as number) * 151 + fold(bytes[at + 2] as number) * 3533;
  return folded % TABLE_SIZE;
}

/** The beginning of a token may be too short to look for it here and there. */
function* linesWithForms(bytes: Buffer): Generator<Range> {
  let end = -1;
  for (const at of findForms(bytes.toString("latin1"))) {
    if (at < end) continue;
    const line = rangeAt(bytes, at);
    end = line.to;
    yield line;
  }
}

function* linesWithUserinfo(bytes: Buffer): Generator<Range> {
  for (let at = bytes.indexOf(AT); at !== -1;) {
    const line = rangeAt(bytes, at);
    if (USERINFO.test(bytes.toString("latin1", line.from, line.to))) yield line;
    if (line.to >= bytes.length) return;
    at = bytes.indexOf(AT, line.to + 1);
  }
}
