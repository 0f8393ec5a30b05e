import { type Search, mayBeTime } from "../../match.ts";
import { escapeRegExp } from "../../../words/text.ts";
import { type Range, rangeAt } from "./log-file.ts";
import type { FindSecretLines } from "./secret-lines.ts";
import { REDACTED } from "../../../secrets/redact.ts";

/** Last line first. Each line is matched again as it is shown. */
export type FindCandidates = (bytes: Buffer) => Iterable<Range>;

/** `undefined` if every line must be checked. No line that shows the text is left out. */
export function createCandidateFinder(search: Search, findSecretLines: FindSecretLines): FindCandidates | undefined {
  const needle = createNeedle(search);
  if (needle === undefined) return undefined;
  const place = search.ignoreCase === true ? placeIgnoringCase : placeExactly;
  const whole = needle.isExact && (search.ignoreCase !== true || isAscii(needle.text)) ? place(needle.text) : undefined;
  const words = needle.words.map(({ text, isNumeric }) => ({ place: place(text), isNumeric }));
  return (read) => {
    const secret = findSecretLines(read);
    const bytes = withoutLines(read, secret);
    const found = new FoundLines(bytes, secret);
    const isSecret = (line: string): boolean => findSecretLines(Buffer.from(line, "latin1")).length > 0;
    if (whole && isPlain(bytes)) found.addAll(whole.in(bytes), () => true);
    else findAltered(found, bytes, { whole, words, isSecret });
    return found.lastFirst();
  };
}

/**
 * Each line that may hold a secret is masked first and searched afterwards, for every search. In the other lines,
 * nothing is found that a reader may not see, so neither the time nor a counter depends on a right guess.
 */
function withoutLines(bytes: Buffer, lines: readonly Range[]): Buffer {
  if (lines.length === 0) return bytes;
  const copy = Buffer.from(bytes);
  for (const { from, to } of lines) copy.fill(0, from, to);
  return copy;
}

interface Place {
  /** The offset of the next occurrence; -1 if there is none. */
  readonly in: (bytes: Buffer) => (from: number) => number;
  /** @param line the bytes as Latin-1 */
  readonly isIn: (line: string) => boolean;
}

interface Wanted {
  readonly whole: Place | undefined;
  readonly words: readonly { readonly place: Place; readonly isNumeric: boolean }[];
  /** Of a line without its escape sequences, which may interrupt a secret. */
  readonly isSecret: (line: string) => boolean;
}

const ESCAPE = 0x1b;
const ALTERING = [ESCAPE, 0x7b, 0x09, 0x0d];

/** Without JSON, escape sequences, tabs and CRLF, a line is shown as it is written. */
function isPlain(bytes: Buffer): boolean {
  return ALTERING.every((byte) => !bytes.includes(byte));
}

/** May be part of JSON, and contains something that a terminal shows differently. */
const ALTERED_LINE = new RegExp(String.raw`[\t\r\u001B{]`);
/** Its value may be written differently when it is shown. */
const UNUSUAL_NUMBER = /[\d.]{16}|\d[eE][+-]?\d|0\.000000/;

function findAltered(found: FoundLines, bytes: Buffer, { whole, words, isSecret }: Wanted): void {
  const [first] = words;
  if (first === undefined) return;
  const hasWords = (line: string): boolean =>
    words.every(({ place, isNumeric }) => place.isIn(line) || (isNumeric && UNUSUAL_NUMBER.test(line)));
  found.addAll(first.place.in(bytes), (line) => {
    if (whole?.isIn(line) === true) return true;
    return (whole === undefined || ALTERED_LINE.test(line)) && hasWords(line);
  });
  found.addAll(
    (from) => bytes.indexOf(ESCAPE, from),
    (line) => {
      const stripped = line.replaceAll(SHORT_ESCAPE, "");
      return HOLDS_TEXT.test(line) || isSecret(stripped) || hasWords(stripped);
    },
  );
  found.addAll(
    (from) => bytes.indexOf(String.raw`\u`, from),
    () => true,
  );
  if (first.isNumeric) found.addAll(placePattern(UNUSUAL_NUMBER.source, "g")(bytes), hasWords);
}

/** A title or a link, which an escape sequence removes from the line. */
const HOLDS_TEXT = new RegExp(String.raw`\u001B[\]PX^_]`);
const SHORT_ESCAPE = new RegExp(String.raw`\u001B(?:\[[\d;:?<=>]{0,40}[ -/]{0,4}[@-~]|[ -/]{0,4}[0-~])`, "g");

function placeExactly(text: string): Place {
  const needle = Buffer.from(text);
  const latin = needle.toString("latin1");
  return { in: (bytes) => (from) => bytes.indexOf(needle, from), isIn: (line) => line.includes(latin) };
}

function placeIgnoringCase(text: string): Place {
  const source = escapeRegExp(text);
  const single = new RegExp(source, "i");
  return { in: placePattern(source, "gi"), isIn: (line) => single.test(line) };
}

function placePattern(source: string, flags: string): Place["in"] {
  return (bytes) => {
    const pattern = new RegExp(source, flags);
    const text = bytes.toString("latin1");
    return (from) => {
      pattern.lastIndex = from;
      return pattern.exec(text)?.index ?? -1;
    };
  };
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]+$/.test(text);
}

class FoundLines {
  readonly #bytes: Buffer;
  readonly #ranges: Map<number, Range>;

  constructor(bytes: Buffer, lines: readonly Range[]) {
    this.#bytes = bytes;
    this.#ranges = new Map(lines.map((line) => [line.from, line]));
  }

  addAll(next: (from: number) => number, accepts: (line: string) => boolean): void {
    const bytes = this.#bytes;
    for (let at = next(0); at !== -1;) {
      const range = rangeAt(bytes, at);
      if (!this.#ranges.has(range.from) && accepts(bytes.toString("latin1", range.from, range.to)))
        this.#ranges.set(range.from, range);
      if (range.to >= bytes.length) break;
      at = next(range.to + 1);
    }
  }

  lastFirst(): Range[] {
    return [...this.#ranges.values()].toSorted((a, b) => b.from - a.from);
  }
}

/** Bytes that a line must have, so that the line can show the text that is searched. */
interface Needle {
  readonly text: string;
  /** Decoding and masking change no letter of a word, unless it contains an escape. The best to search for first. */
  readonly words: readonly NeedleWord[];
  /** A line of plain text shows the needle only if its bytes contain it as it is. */
  readonly isExact: boolean;
}

interface NeedleWord {
  readonly text: string;
  /** JSON may write a number differently: `1e3` is shown as 1000. */
  readonly isNumeric: boolean;
}

const ASCII_WORD = /\w+/g;
const ANY_WORD = /(?:\w|(?![\uFFFD\p{Cs}])[\u0080-\u{10FFFF}])+/gu;
/** Also `null`, which is shown for a number that is too large. */
const NUMERIC = /^(?:\d*e?\d*|n?u?l{0,2})$/i;

/** `undefined` if any line may show the text. */
function createNeedle({ grep, regexp, ignoreCase = false }: Search): Needle | undefined {
  if (grep === undefined || regexp !== undefined || mayBeTime(grep)) return undefined;
  const mask = ignoreCase ? REDACTED.toLowerCase() : REDACTED;
  const isMask = (word: string): boolean => mask.includes(ignoreCase ? word.toLowerCase() : word);
  const words = (grep.match(ignoreCase ? ASCII_WORD : ANY_WORD) ?? [])
    .filter((word) => !isMask(word))
    .map((text) => ({ text, isNumeric: NUMERIC.test(text) }))
    .toSorted((a, b) => Number(a.isNumeric) - Number(b.isNumeric) || b.text.length - a.text.length);
  if (words.length === 0) return undefined;
  return { text: grep, words, isExact: !/[[\]\uFFFD]/.test(grep) && !isMask(grep) };
}
