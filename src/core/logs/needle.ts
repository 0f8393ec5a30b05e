import { REDACTED } from "../secrets/redact.ts";
import { mayBeTime } from "./shown.ts";
import type { Search } from "./match.ts";

/** Bytes that a line must have, so that the line can show the text that is searched. */
export interface Needle {
  readonly text: string;
  /** Decoding and masking change no letter of a word, unless it contains an escape. The best to search for first. */
  readonly words: readonly NeedleWord[];
  /** A line of plain text shows the needle only if its bytes contain it as it is. */
  readonly isExact: boolean;
}

export interface NeedleWord {
  readonly text: string;
  /** JSON may write a number differently: `1e3` is shown as 1000. */
  readonly isNumeric: boolean;
}

const ASCII_WORD = /\w+/g;
const ANY_WORD = /(?:\w|(?![\uFFFD\p{Cs}])[\u0080-\u{10FFFF}])+/gu;
/** Also `null`, which is shown for a number that is too large. */
const NUMERIC = /^(?:\d*e?\d*|n?u?l{0,2})$/i;

/** `undefined` if any line may show the text. */
export function createNeedle({ grep, regexp, ignoreCase = false }: Search): Needle | undefined {
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
