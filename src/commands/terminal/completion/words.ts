export interface TypedLine {
  /** The last word is unfinished; it is empty after a space. */
  readonly words: readonly string[];
  readonly quote: string;
}

const WORD = /(?:\\.?|"(?:\\.|[^"\\])*(?:"|$)|'[^']*(?:'|$)|[^\s"'\\])+/gs;
const QUOTED = /\\(.)|"((?:\\.|[^"\\])*)(?:"|$)|'([^']*)(?:'|$)/gs;
const CLOSED = /\\.|"(?:\\.|[^"\\])*"|'[^']*'/gs;

/** Expands nothing. bash itself also splits at `=` and `:`, so the original spaces would be lost. */
export function splitLine(line: string): TypedLine {
  const words: string[] = line.match(WORD) ?? [];
  const isBetween = words.length === 0 || !line.endsWith(words.at(-1) ?? "");
  if (isBetween) words.push("");
  const [quote = ""] = /["']/.exec(words.at(-1)?.replaceAll(CLOSED, "") ?? "") ?? [];
  return { words: words.map(unquoted), quote };
}

function unquoted(word: string): string {
  return word.replaceAll(QUOTED, (_, escaped?: string, double?: string, single?: string) => {
    return escaped ?? single ?? double?.replaceAll(/\\(["\\$`])/g, "$1") ?? "";
  });
}

/** Removes the part that bash treats as a separate word, and escapes the rest for the open quote. */
export function forBash(value: string, { words, quote }: TypedLine, wordBreaks: string): string {
  const typed = words.at(-1) ?? "";
  const broken = quote === "" ? lastBreak(typed, wordBreaks) : 0;
  const rest = value.slice(broken);
  return quote === "" ? rest.replaceAll(/[\s"'\\$&|;<>()*?[\]#~`!{}]/g, String.raw`\$&`) : rest;
}

/** The length of the part that bash treats as separate words. */
function lastBreak(typed: string, wordBreaks: string): number {
  return Math.max(0, ..."=:".split("").map((mark) => (wordBreaks.includes(mark) ? typed.lastIndexOf(mark) + 1 : 0)));
}
