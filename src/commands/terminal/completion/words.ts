export interface TypedLine {
  /** The last word is unfinished; it is empty after a space. */
  readonly words: readonly string[];
  readonly quote: string;
}

const WORD = /(?:\\.?|"(?:\\.|[^"\\])*(?:"|$)|'[^']*(?:'|$)|[^\s"'\\])+/gs;
const QUOTED_PART = /\\(.)|"((?:\\.|[^"\\])*)(?:"|$)|'([^']*)(?:'|$)/gs;
const CLOSED_QUOTE = /\\.|"(?:\\.|[^"\\])*"|'[^']*'/gs;

/** Expands nothing. bash itself also splits at `=` and `:`, so the original spaces would be lost. */
export function splitLine(line: string): TypedLine {
  const words: string[] = line.match(WORD) ?? [];
  const isBetween = words.length === 0 || !line.endsWith(words.at(-1) ?? "");
  if (isBetween) words.push("");
  const [quote = ""] = /["']/.exec(words.at(-1)?.replaceAll(CLOSED_QUOTE, "") ?? "") ?? [];
  return { words: words.map(unquote), quote };
}

function unquote(word: string): string {
  return word.replaceAll(QUOTED_PART, (_, escaped?: string, double?: string, single?: string) => {
    return escaped ?? single ?? double?.replaceAll(/\\(["\\$`])/g, "$1") ?? "";
  });
}

/** Removes the part that bash treats as a separate word, and escapes the rest for the open quote. */
export function escapeForBash(value: string, { words, quote }: TypedLine, wordBreaks: string): string {
  const typed = words.at(-1) ?? "";
  const breakLength = quote === "" ? wordBreakLength(typed, wordBreaks) : 0;
  const rest = value.slice(breakLength);
  return quote === "" ? rest.replaceAll(/[\s"'\\$&|;<>()*?[\]#~`!{}]/g, String.raw`\$&`) : rest;
}

/** The length of the part that bash treats as separate words. */
function wordBreakLength(typed: string, wordBreaks: string): number {
  return Math.max(0, ..."=:".split("").map((mark) => (wordBreaks.includes(mark) ? typed.lastIndexOf(mark) + 1 : 0)));
}
