import {
  effectiveEntry,
  parseEnvDocument,
  unportableLines,
  valuesOf,
  type EnvDocument,
  type Span,
} from "./document.ts";

/** Why a value cannot be written: no quoting makes every reader give it back. */
export class UnwritableValue extends Error {
  override readonly name = "UnwritableValue";
}

export interface SetOptions {
  /** Tells whether text behind `# KEY=` is a value that was commented out, not prose. */
  readonly isValue?: (text: string) => boolean;
}

/**
 * Returns the text in which `key` reads as `value` and every other byte is as before.
 *
 * The last, effective, assignment is changed in place; else the last line that holds the key as a
 * comment (`# KEY=`) is uncommented; else a line is appended, with the file's own line break. A key
 * that already reads so, or that is absent and set to nothing, changes nothing.
 *
 * @throws {UnwritableValue} where no quoting gives the value back, or where the change would alter
 *   how another line reads (a quote that an earlier line leaves open).
 * @see CONTRACT section 3, write semantics
 */
export function setValue(text: string, key: string, value: string, options: SetOptions = {}): string {
  const document = parseEnvDocument(text);
  if ((effectiveEntry(document, key)?.value ?? "") === value) return text;
  const before = valuesOf(document);
  const readable = spellings(value, openMarks(document))
    .map((written) => place(document, key, written, options))
    .filter((next) => readsAs(next, before, key, value));
  const best = readable.find((next) => isPortable(next, key)) ?? readable[0];
  if (best !== undefined) return best;
  throw new UnwritableValue(`${key} cannot be written to this file so that every reader gives its value back`);
}

/** The changed place of a text. `line` counts from 1; `before` is empty where lines were added. */
export interface LineChange {
  readonly line: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The one run of lines that differs between a text and its edit, or `undefined` where none does. */
export function changedLines(before: string, after: string): LineChange | undefined {
  if (before === after) return undefined;
  const [old, next] = [before.split(/\r\n|\n|\r/), after.split(/\r\n|\n|\r/)];
  const limit = Math.min(old.length, next.length);
  let head = 0;
  while (head < limit && old[head] === next[head]) head++;
  let tail = 0;
  while (tail < limit - head && old.at(-1 - tail) === next.at(-1 - tail)) tail++;
  return {
    line: head + 1,
    before: old.slice(head, old.length - tail),
    after: next.slice(head, next.length - tail),
  };
}

const BARE = /^[A-Za-z0-9_.,:/@%+=-]*$/;

/** Ways to write a value, plainest first. Double quotes expand escapes, so they take neither `\` nor `$`. */
function spellings(value: string, avoided: ReadonlySet<string>): string[] {
  const marks = ["'", '"', "`"].filter((mark) => !value.includes(mark) && !avoided.has(mark));
  const quoted = marks.filter((mark) => mark !== '"' || !/[\\$]/.test(value)).map((mark) => mark + value + mark);
  return BARE.test(value) ? [value, ...quoted] : quoted;
}

/** Quotes that a line leaves open: `node --env-file` would take a later one for its end. */
function openMarks({ text, entries }: EnvDocument): Set<string> {
  const first = entries.map(({ value, valueStart }) =>
    value.startsWith(text.charAt(valueStart)) ? value.charAt(0) : "",
  );
  return new Set(first.filter((mark) => mark !== "" && "'\"`".includes(mark)));
}

function place(document: EnvDocument, key: string, written: string, options: SetOptions): string {
  const { text } = document;
  const entry = effectiveEntry(document, key);
  if (entry) return splice(text, entry.valueStart, entry.valueEnd, written);
  const comment = document.comments.findLast((span) => commentedEntry(text, span, key, options) !== undefined);
  const range = comment && commentedEntry(text, comment, key, options);
  if (range) return splice(text, range.start, range.valueEnd, `${range.assignment}${written}`);
  return append(text, `${key}=${written}`);
}

interface CommentedEntry {
  readonly start: number;
  readonly valueEnd: number;
  /** What stands before the value once uncommented, `KEY=` with the author's own spacing. */
  readonly assignment: string;
}

function commentedEntry(text: string, span: Span, key: string, options: SetOptions): CommentedEntry | undefined {
  const line = text.slice(span.start, span.end);
  const content = line.replace(/^[^#]*#+\s*/, "");
  const entry = parseEnvDocument(content).entries[0];
  if (entry?.key !== key || !content.slice(0, entry.valueStart).includes("=")) return undefined;
  const isBare = entry.valueEnd - entry.valueStart === entry.value.length;
  if (isBare && /\s/.test(entry.value) && !options.isValue?.(entry.value)) return undefined;
  const start = span.end - content.length;
  const assignment = content.slice(0, entry.valueStart);
  const afterMark = span.start + (line.startsWith("\uFEFF") ? 1 : 0);
  return { start: afterMark, valueEnd: start + entry.valueEnd, assignment };
}

function append(text: string, line: string): string {
  if (text === "" || text === "\uFEFF") return `${text}${line}\n`;
  const lineBreak = /\r\n/.test(text) ? "\r\n" : "\n";
  return /[\r\n]$/.test(text) ? text + line + lineBreak : text + lineBreak + line;
}

function splice(text: string, start: number, end: number, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

/** Whether every reader takes the key's line alike: `KEY= ` with nothing behind it is such a line for dotenv only. */
function isPortable(text: string, key: string): boolean {
  const document = parseEnvDocument(text);
  const start = effectiveEntry(document, key)?.start;
  return unportableLines(document).every((line) => line.start !== start);
}

function readsAs(text: string, before: ReadonlyMap<string, string>, key: string, value: string): boolean {
  const after = valuesOf(parseEnvDocument(text));
  const others = [...before].every(([name, held]) => name === key || after.get(name) === held);
  return others && after.get(key) === value && after.size === before.size + (before.has(key) ? 0 : 1);
}
