/** Lines that `node --env-file` may read differently from dotenv and svcm. */
import type { EnvDocument, EnvEntry, Span } from "./document.ts";

/** dotenv and every version of Node read these alike. */
const PORTABLE_VALUE = ["'[^'\\\\]*'", '"(?:[^"\\\\]|\\\\n)*"', "`[^`\\\\]*`", "[^\\s#'\"`](?: *[^\\s#])*"].join("|");
const PORTABLE_ENTRY = new RegExp(
  // If only spaces follow the `=`, Node 22 takes the next line as the value. So an exported key needs a value.
  `^(?:(?:export )?[A-Za-z_][\\w.-]* *= *(?:(?:${PORTABLE_VALUE}) *(?:#[^\\r\\n]*)?|#[^\\r\\n]*)|[A-Za-z_][\\w.-]* *=)$`,
);

export function isPortableEntry(text: string): boolean {
  return PORTABLE_ENTRY.test(text) && !LONE_RETURN.test(text);
}

/** White space at the end of the file does not count: Node has no following line to join it with. */
export function unportableLines({ text, strays, comments, entries }: EnvDocument): Span[] {
  const end = text.trimEnd().length;
  const hasAnyLoneReturn = LONE_RETURN.test(text);
  const deviatesFrom = (form: RegExp) => (span: Span) =>
    !form.test(text.slice(span.start, span.end)) || (hasAnyLoneReturn && hasLoneReturn(text, span));
  const isUnusualComment = deviatesFrom(/^#/);
  return [
    ...strays.filter(({ start }) => start < end),
    ...comments.filter((span) => isUnusualComment(span) || isKeyForNode20(text, span)),
    ...entries.filter(deviatesFrom(PORTABLE_ENTRY)),
  ].toSorted((a, b) => a.start - b.start);
}

/** Node 20 takes a comment for a key if no line break follows. */
function isKeyForNode20(text: string, { start, end }: Span): boolean {
  return end === text.length && text.slice(start, end).includes("=");
}

const LONE_RETURN = /\r(?!\n)/;

function hasLoneReturn(text: string, { start, end }: Span): boolean {
  return LONE_RETURN.test(text.slice(start, end)) || (text[end] === "\r" && text[end + 1] !== "\n");
}

export interface NodeReading {
  openAt(offset: number): readonly OpenQuote[];
  ambiguitiesOf(entry: EnvEntry): Ambiguity[];
}

/** After a line that readers disagree on, Node may resume inside a multi-line value. */
export function nodeReading(document: EnvDocument): NodeReading {
  const { text } = document;
  const lines = linesFromFirstUnportable(document);
  const openAt = openQuotes(text, lines);
  const joinedAt = joinedLines(text, lines);
  return {
    openAt,
    ambiguitiesOf: (entry) => [
      ...openAt(entry.start).map((quote) => ({ line: quote.line, reason: openQuoteReason(quote) })),
      ...joinedAt(entry).map(({ line }) => ({
        line,
        reason: `node --env-file may read on from line ${line}; correct that line`,
      })),
      ...lineAmbiguities(text, entry),
    ],
  };
}

export interface Ambiguity {
  readonly line: number;
  readonly reason: string;
}

/**
 * Node takes everything up to the next `=` as a key, Node 22 takes the next line as a value, and Node 20 stops at an
 * empty key.
 */
function joinedLines(text: string, lines: readonly Span[]): (entry: EnvEntry) => Span[] {
  const content = lines.filter((line) => !/^(?:#|\r?\n?$)/.test(text.slice(line.start, line.end)));
  const starts = content.map(({ start }) => start);
  const end = content.find((line) => /^\s*=/.test(text.slice(line.start, line.end)));
  return (entry) => {
    const count = countBelow(starts, entry.start);
    const lastEquals = entry.start === 0 ? -1 : text.lastIndexOf("=", entry.start - 1);
    const last = content[count - 1];
    const isValueAwaited = last !== undefined && AWAITS_VALUE.test(text.slice(last.start, last.end));
    return [
      ...(end && end.start < entry.start ? [end] : []),
      // Node joins the others with the first line.
      ...content.slice(0, count).slice(countBelow(starts, lastEquals)).slice(0, 1),
      ...(isValueAwaited && last.start < lastEquals ? [last] : []),
    ];
  };
}

const AWAITS_VALUE = /=[^\S\r\n]+\r?\n?$/;

function lineAmbiguities(text: string, entry: EnvEntry): Ambiguity[] {
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

export interface OpenQuote extends Span {
  readonly mark: string;
}

function openQuotes(text: string, lines: readonly Span[]): NodeReading["openAt"] {
  const byMark = new Map<string, OpenQuote[]>();
  // Node 22 takes the next line as the value if there is only white space.
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
      const last = quotes[countBelow(starts, offset) - 1];
      if (!last) return [];
      const openedAt = text.indexOf(last.mark, text.indexOf("=", last.start));
      const next = text.indexOf(last.mark, openedAt + 1);
      return next === -1 || next >= offset ? [last] : [];
    });
}

export function openQuoteReason({ line, mark }: OpenQuote): string {
  return `line ${line} leaves a quote (${mark}) open, and node --env-file reads on to the next one; close it`;
}

/** A lone carriage return does not end a line for Node. */
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

function countBelow(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
