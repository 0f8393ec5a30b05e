/** Where other readers may take an env file in another way than dotenv, and svcm, do. */
import type { EnvDocument, EnvEntry, Span } from "./document.ts";

/** What dotenv and every Node agree on: no tab, no escaped quote, nothing but a comment behind a quoted value. */
const PORTABLE_VALUE = ["'[^'\\\\]*'", '"(?:[^"\\\\]|\\\\n)*"', "`[^`\\\\]*`", "[^\\s#'\"`](?: *[^\\s#])*"].join("|");
const PORTABLE_ENTRY = new RegExp(
  // Nothing but spaces behind `=` makes Node 22 take the next line for the value; an exported key needs a value.
  `^(?:(?:export )?[A-Za-z_][\\w.-]* *= *(?:(?:${PORTABLE_VALUE}) *(?:#[^\\r\\n]*)?|#[^\\r\\n]*)|[A-Za-z_][\\w.-]* *=)$`,
);

/** Whether dotenv and every Node read an entry alike, which is all that the text holds. */
export function isPortableEntry(text: string): boolean {
  return PORTABLE_ENTRY.test(text) && !LONE_RETURN.test(text);
}

/**
 * The lines that `node --env-file` may read in another way than dotenv does, first to last. White space at the very
 * end of a file is not among them: no next line follows that it could become a part of.
 */
export function unportableLines({ text, strays, comments, entries }: EnvDocument): Span[] {
  const end = text.trimEnd().length;
  const mayHoldLoneReturn = LONE_RETURN.test(text);
  const isUnlike = (form: RegExp) => (span: Span) =>
    !form.test(text.slice(span.start, span.end)) || (mayHoldLoneReturn && hasLoneReturn(text, span));
  const isUnlikeComment = isUnlike(/^#/);
  return [
    ...strays.filter(({ start }) => start < end),
    ...comments.filter((span) => isUnlikeComment(span) || isKeyToNode20(text, span)),
    ...entries.filter(isUnlike(PORTABLE_ENTRY)),
  ].toSorted((a, b) => a.start - b.start);
}

/** Node 20 takes a comment for a key if no line end follows. */
function isKeyToNode20(text: string, { start, end }: Span): boolean {
  return end === text.length && text.slice(start, end).includes("=");
}

const LONE_RETURN = /\r(?!\n)/;

function hasLoneReturn(text: string, { start, end }: Span): boolean {
  return LONE_RETURN.test(text.slice(start, end)) || (text[end] === "\r" && text[end + 1] !== "\n");
}

/** Where Node may be in a file at an entry that dotenv reads there. */
export interface NodeReading {
  /** The quotes, opened behind the `=` of an earlier line, that are open at an offset: of each mark one at most. */
  openAt(offset: number): readonly OpenQuote[];
  /** What may keep Node from reading an entry of the document alike. */
  doubtsAbout(entry: EnvEntry): Doubt[];
}

/**
 * How `node --env-file` may get through a document. Behind a line that readers disagree on, it may begin anew
 * within a value of several lines.
 */
export function nodeReading(document: EnvDocument): NodeReading {
  const { text } = document;
  const lines = linesFromFirstUnportable(document);
  const openAt = openQuotes(text, lines);
  const joinedAt = joinedLines(text, lines);
  return {
    openAt,
    doubtsAbout: (entry) => [
      ...openAt(entry.start).map((quote) => ({ line: quote.line, reason: openQuoteReason(quote) })),
      ...joinedAt(entry).map(({ line }) => ({
        line,
        reason: `node --env-file may read on from line ${line}; correct that line`,
      })),
      ...ownDoubts(text, entry),
    ],
  };
}

/** Why `node --env-file` may not give back what dotenv reads on a line, and the line to correct. */
export interface Doubt {
  readonly line: number;
  readonly reason: string;
}

/** Node takes all up to the next `=` for a key, Node 22 a value from the next line; Node 20 ends at an empty key. */
function joinedLines(text: string, lines: readonly Span[]): (entry: EnvEntry) => Span[] {
  const content = lines.filter((line) => !isPassedOver(text.slice(line.start, line.end)));
  const starts = content.map(({ start }) => start);
  const end = content.find((line) => /^\s*=/.test(text.slice(line.start, line.end)));
  return (entry) => {
    const count = countBelow(starts, entry.start);
    const lastEquals = entry.start === 0 ? -1 : text.lastIndexOf("=", entry.start - 1);
    const last = content[count - 1];
    const isValueAwaited = last !== undefined && AWAITING.test(text.slice(last.start, last.end));
    return [
      ...(end && end.start < entry.start ? [end] : []),
      // The first is enough: it is the one that takes the others along.
      ...content.slice(0, count).slice(countBelow(starts, lastEquals)).slice(0, 1),
      ...(isValueAwaited && last.start < lastEquals ? [last] : []),
    ];
  };
}

/** No value but white space behind the `=`. */
const AWAITING = /=[^\S\r\n]+\r?\n?$/;

/** Empty lines and plain comments. */
function isPassedOver(line: string): boolean {
  return /^(?:#|\r?\n?$)/.test(line);
}

function ownDoubts(text: string, entry: EnvEntry): Doubt[] {
  const { line } = entry;
  const own = text.slice(entry.start, entry.end);
  if (own.startsWith("\uFEFF")) return [{ line, reason: BYTE_ORDER_MARK }];
  const isJoined = hasLoneReturn(text, entry) || (text[entry.start - 1] === "\r" && text[entry.start] !== "\n");
  if (isJoined) return [{ line, reason: "node --env-file joins lines at a lone carriage return; use line feeds" }];
  return isPortableEntry(own)
    ? []
    : [{ line, reason: "node --env-file may read the line in another way than dotenv does" }];
}

const BYTE_ORDER_MARK =
  "the file begins with a byte order mark, which node --env-file takes for a part of the first key; save the file without it";

/** A quote that a line leaves open: `node --env-file` reads on to the next one of its kind. */
export interface OpenQuote extends Span {
  readonly mark: string;
}

function openQuotes(text: string, lines: readonly Span[]): NodeReading["openAt"] {
  const byMark = new Map<string, OpenQuote[]>();
  // Node 22 takes the next line for a value that is only white space.
  const opener = /[^=\n]*=\s*(["'`])/y;
  for (const { start, end, line } of lines) {
    opener.lastIndex = start;
    const mark = opener.exec(text)?.[1];
    if (mark === undefined) continue;
    const quotes = byMark.get(mark) ?? [];
    byMark.set(mark, quotes);
    quotes.push({ start, end, line, mark });
  }
  const lists = [...byMark.values()].map((quotes) => ({ quotes, starts: quotes.map(({ start }) => start) }));
  return (offset) =>
    lists.flatMap(({ quotes, starts }) => {
      // An earlier one ends at this one's mark at the latest.
      const last = quotes[countBelow(starts, offset) - 1];
      if (!last) return [];
      const opened = text.indexOf(last.mark, text.indexOf("=", last.start));
      const next = text.indexOf(last.mark, opened + 1);
      return next === -1 || next >= offset ? [last] : [];
    });
}

export function openQuoteReason({ line, mark }: OpenQuote): string {
  return `line ${line} leaves a quote (${mark}) open, and node --env-file reads on to the next one; close it`;
}

/** The lines that Node may read otherwise, as it sees lines: a lone carriage return ends none. */
function linesFromFirstUnportable(document: EnvDocument): Span[] {
  const { text } = document;
  const [first] = unportableLines(document);
  const lines: Span[] = [];
  let { start, line } = first ?? { start: text.length, line: 0 };
  while (start < text.length) {
    const next = text.indexOf("\n", start);
    const end = next === -1 ? text.length : next + 1;
    lines.push({ start, end, line });
    line += 1 + (text.slice(start, end).match(/\r(?!\n)/g)?.length ?? 0);
    start = end;
  }
  return lines;
}

/** How many of the numbers, which ascend, are less than a limit. */
function countBelow(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
