/** Lossless, and as dotenv 17 reads it. A line break inside a quoted value reads as `\n`, whatever the file uses. */
export interface EnvDocument {
  readonly text: string;
  readonly entries: readonly EnvEntry[];
  readonly comments: readonly Span[];
  /** Neither assignments nor comments, such as lines of white space. */
  readonly strays: readonly Span[];
}

/** Half-open, in UTF-16 units; lines count from 1. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly line: number;
}

export interface EnvEntry extends Span {
  readonly key: string;
  /** With the escapes of double quotes expanded. */
  readonly value: string;
  /** Includes the quotes. */
  readonly valueStart: number;
  readonly valueEnd: number;
}

const quotedPattern = (mark: string): string => String.raw`\s*${mark}(?:\\${mark}|[^${mark}])*${mark}`;
/** The groups before the value cover everything before it, so their lengths sum up to its offset. */
const ENTRY = new RegExp(
  String.raw`((?:export\s+)?)([\w.-]+)(\s*=\s*?|:\s+?)` +
    `(${quotedPattern("'")}|${quotedPattern('"')}|${quotedPattern("`")}|[^#\\r\\n]+)?` +
    String.raw`\s*(?:#.*)?$`,
  "my",
);

export function parseEnvDocument(text: string): EnvDocument {
  const document = { text, entries: [], comments: [], strays: [] } as MutableDocument;
  const source = text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text;
  const toText = offsetsBefore(text, source);
  let line = 1;
  let start = 0;
  while (start < source.length) {
    const content = skipInlineSpace(source, start);
    const entry = entryAt(source, content);
    const sourceEnd = endOfLine(source, entry?.valueEnd ?? content);
    const [from, end] = [toText(start), toText(sourceEnd)];
    if (entry) document.entries.push(toEntry(entry, from, end, line, toText));
    else if (source[content] === "#") document.comments.push({ start: from, end, line });
    else if (start < sourceEnd) document.strays.push({ start: from, end, line });
    line += 1 + countLineBreaks(source, start, sourceEnd);
    start = sourceEnd + 1;
  }
  return document;
}

export function valuesOf(document: EnvDocument): Map<string, string> {
  return new Map(document.entries.map((entry) => [entry.key, entry.value]));
}

export function splitLines(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}

/** Without the `#`, which may follow a byte order mark. */
export function commentText(comment: string): string {
  return comment.replace(/^[^#]*#+\s*/, "");
}

/** A comment may hold anything, so a caller who sees only some keys sees no comment: `A=1 # …`, and `# A=1 # …`. */
export function hideComment(line: string): string {
  const assignment = commentText(`#${line}`);
  const [entry] = parseEnvDocument(assignment).entries;
  const end = line.length - assignment.length + (entry?.valueEnd ?? 0);
  return line.slice(end).includes("#") ? `${line.slice(0, end)} # …` : line;
}

/** dotenvx writes a public key, and `encrypted:` before each value. */
export function isEncrypted(text: string): boolean {
  // `\s` would match across lines and take quadratic time.
  return /^[ \t]*(?:export[ \t]+)?DOTENV_PUBLIC_KEY\w*[ \t]*=/m.test(text) && /=[ \t]*["']?encrypted:/.test(text);
}

interface MutableDocument extends EnvDocument {
  readonly entries: EnvEntry[];
  readonly comments: Span[];
  readonly strays: Span[];
}

type Assignment = Pick<EnvEntry, "key" | "value" | "valueStart" | "valueEnd">;

function entryAt(source: string, offset: number): Assignment | undefined {
  ENTRY.lastIndex = offset;
  const match = ENTRY.exec(source);
  if (!match) return undefined;
  const [, prefix = "", key = "", separator = "", rawValue] = match;
  const afterKey = offset + prefix.length + key.length;
  if (rawValue === undefined) {
    // The separator may also match white space, but the value begins directly after the `=`.
    const valueStart = afterKey + separator.search(/[=:]/) + 1;
    return { key, value: "", valueStart, valueEnd: valueStart };
  }
  const value = rawValue.trim();
  const space = value === "" ? 0 : rawValue.length - rawValue.trimStart().length;
  const valueStart = afterKey + separator.length + space;
  return { key, value: unquote(value), valueStart, valueEnd: valueStart + value.length };
}

function unquote(raw: string): string {
  if (!/^['"`]/.test(raw)) return raw;
  const value = raw.replaceAll(/^(['"`])([\s\S]*)\1$/gm, "$2");
  return raw.startsWith('"') ? value.replaceAll("\\n", "\n").replaceAll("\\r", "\r") : value;
}

function toEntry(
  { key, value, valueStart, valueEnd }: Assignment,
  start: number,
  end: number,
  line: number,
  toText: (offset: number) => number,
): EnvEntry {
  return { start, end, line, key, value, valueStart: toText(valueStart), valueEnd: toText(valueEnd) };
}

/** Every line break of `source` is `\n`; those of `text` may be longer. */
function offsetsBefore(text: string, source: string): (offset: number) => number {
  if (text.length === source.length) return (offset) => offset;
  const offsets = new Uint32Array(source.length + 1);
  for (let at = 0, raw = 0; at <= source.length; at++, raw++) {
    offsets[at] = raw;
    if (text[raw] === "\r" && text[raw + 1] === "\n") raw++;
  }
  return (offset) => offsets[offset] ?? text.length;
}

function skipInlineSpace(source: string, start: number): number {
  let offset = start;
  while (offset < source.length && source[offset] !== "\n" && source.charAt(offset).trim() === "") offset++;
  return offset;
}

function endOfLine(source: string, from: number): number {
  const end = source.indexOf("\n", from);
  return end === -1 ? source.length : end;
}

function countLineBreaks(source: string, start: number, end: number): number {
  let count = 0;
  for (let at = source.indexOf("\n", start); at !== -1 && at < end; at = source.indexOf("\n", at + 1)) count++;
  return count;
}

const BARE = /^[A-Za-z0-9_.,:/@%+=-]*$/;
const QUOTES = ["'", '"', "`"] as const;

/** Plainest first. Empty if no quoting works. Double quotes expand escapes, so they cannot contain `\` or `$`. */
export function valueSpellings(value: string): string[] {
  const marks = QUOTES.filter((mark) => !value.includes(mark) && (mark !== '"' || !/[\\$]/.test(value)));
  const written = [...(BARE.test(value) ? [value] : []), ...marks.map((mark) => mark + value + mark)];
  return written.filter((spelling) => {
    const { entries } = parseEnvDocument(`KEY=${spelling}`);
    return entries.length === 1 && entries[0]?.value === value;
  });
}
