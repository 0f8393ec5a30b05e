import {
  type EnvDocument,
  type EnvEntry,
  type Span,
  commentText,
  parseEnvDocument,
  splitLines,
  valueSpellings,
  valuesOf,
} from "./document.ts";
import { isPortableEntry, nodeReading, openQuoteReason, type Ambiguity } from "./portable.ts";
import type { LineChange } from "../words/text.ts";

export class UnwritableValue extends Error {
  override readonly name = "UnwritableValue";
}

export interface Assignment {
  readonly key: string;
  readonly value: string;
  readonly isValue?: (text: string) => boolean;
}

export interface KeyEdit {
  readonly key: string;
  readonly change: LineChange;
  readonly ambiguities: readonly Ambiguity[];
}

/** `text` is the same string if nothing changes. */
export interface EditResult {
  readonly text: string;
  readonly edits: readonly KeyEdit[];
}

/**
 * Changes the last assignment of a key, else uncomments the last `# KEY=`, else appends a line. A line that only some
 * readers would read correctly (`KEY: value`, a tab) is rewritten in the plain form.
 * @throws {UnwritableValue}
 * @see CONTRACT section 3, write semantics
 */
export function setValues(text: string, assignments: readonly Assignment[]): EditResult {
  const document = parseEnvDocument(text);
  const current = new Map(document.entries.map((entry) => [entry.key, entry]));
  const changed = assignments.filter(({ key, value }) => (current.get(key)?.value ?? "") !== value);
  if (changed.length === 0) return { text, edits: [] };
  const findTarget = locateTargets(document, current, changed);
  const write = lineWriter(document);
  const lineEdits = changed.map((assignment) => write(findTarget(assignment), assignment));
  const next = applyLineEdits(text, lineEdits);
  const after = parseEnvDocument(next);
  requireValues(
    valuesOf(after),
    new Map([...valuesOf(document), ...changed.map(({ key, value }) => [key, value] as const)]),
    `${changed.map(({ key }) => key).join(", ")} cannot be written`,
  );
  const written = new Map(after.entries.map((entry) => [entry.key, entry]));
  const reading = nodeReading(after);
  const edits = lineEdits.map(({ key, line, before, after: lines }) => {
    const entry = written.get(key);
    return { key, change: { line, before, after: lines }, ambiguities: entry ? reading.ambiguitiesOf(entry) : [] };
  });
  return { text: next, edits };
}

interface Target {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly head: string;
  readonly tail: string;
  readonly isNew: boolean;
}

type LineEdit = LineChange & Pick<Target, "start" | "end"> & { readonly key: string; readonly replacement: string };

function locateTargets(document: EnvDocument, current: ReadonlyMap<string, EnvEntry>, changed: readonly Assignment[]) {
  const { text } = document;
  const absent = changed.filter(({ key }) => !current.has(key));
  const commented = findCommentedLines(document, new Map(absent.map((assignment) => [assignment.key, assignment])));
  const end = findAppendPosition(document);
  let { line: nextLine } = end;
  return ({ key }: Assignment): Target => {
    const entry = current.get(key);
    if (!entry) return commented.get(key) ?? { ...end, line: nextLine++, head: `${key}=`, tail: "", isNew: true };
    const { start, line, valueStart, valueEnd } = entry;
    const [head, tail] = [text.slice(start, valueStart), text.slice(valueEnd, entry.end)];
    return { start, end: entry.end, line, head, tail, isNew: false };
  };
}

function findCommentedLines(
  { text, comments }: EnvDocument,
  wanted: ReadonlyMap<string, Assignment>,
): Map<string, Target> {
  const places = new Map<string, Target>();
  if (wanted.size === 0) return places;
  for (const span of comments.toReversed()) {
    const line = text.slice(span.start, span.end);
    const content = commentText(line);
    const key = /^(?:export\s+)?([\w.-]+)/.exec(content)?.[1] ?? "";
    const assignment = places.has(key) ? undefined : wanted.get(key);
    const place = assignment && parseCommentedLine(span, line, content, assignment);
    if (place) places.set(key, place);
  }
  return places;
}

function parseCommentedLine(
  span: Span,
  line: string,
  content: string,
  { key, isValue }: Assignment,
): Target | undefined {
  const entry = parseEnvDocument(content).entries[0];
  if (entry?.key !== key || !content.slice(0, entry.valueStart).includes("=")) return undefined;
  const isBare = entry.valueEnd - entry.valueStart === entry.value.length;
  if (isBare && /\s/.test(entry.value) && !isValue?.(entry.value)) return undefined;
  const mark = line.startsWith("\uFEFF") ? "\uFEFF" : "";
  const head = mark + content.slice(0, entry.valueStart);
  return { ...span, head, tail: content.slice(entry.valueEnd), isNew: false };
}

/** Node 20 joins white space at the end of the file with a line that follows. */
function findAppendPosition({ text, strays }: EnvDocument): Pick<Target, "start" | "end" | "line"> {
  const content = text.trimEnd().length;
  const blank = strays.find((stray) => stray.start >= content);
  const isMarked = blank !== undefined && text.startsWith("\uFEFF", blank.start);
  const start = blank ? blank.start + (isMarked ? 1 : 0) : text.length;
  const lines = splitLines(text.slice(0, start));
  return { start, end: start, line: /^\uFEFF?$/.test(lines.at(-1) ?? "") ? lines.length : lines.length + 1 };
}

function lineWriter(document: EnvDocument): (place: Target, assignment: Assignment) => LineEdit {
  const avoided = openQuoteMarks(document);
  const reading = nodeReading(document);
  return (place, { key, value }) => {
    const { start, end, line, isNew } = place;
    const replacement = bestLine(place, key, value, avoided);
    const swallowing = reading.openAt(start).find(({ mark }) => replacement?.includes(mark));
    if (replacement === undefined || swallowing) {
      const why = swallowing ? `: ${openQuoteReason(swallowing)}` : " so that every reader returns its value";
      throw new UnwritableValue(`${key} cannot be written to this file${why}`);
    }
    const before = isNew ? [] : splitLines(document.text.slice(start, end));
    return { key, start, end, line, before, after: splitLines(replacement), replacement };
  };
}

/** Prefers a line that every reader reads correctly, then the author's style. */
function bestLine(
  { head, tail }: Target,
  key: string,
  value: string,
  avoided: ReadonlySet<string>,
): string | undefined {
  const mark = head.startsWith("\uFEFF") ? "\uFEFF" : "";
  const plain = `${mark}${/^\uFEFF?\s*export\s/.test(head) ? "export " : ""}${key}=`;
  const forms = [[head, tail] as const, [plain, tail] as const, [plain, plainTail(tail)] as const];
  const values = valueSpellings(value).filter((written) => !avoided.has(written.charAt(0)));
  const readable = forms
    .flatMap(([before, after]) => values.map((written) => before + written + after))
    .filter((line) => parsesAs(line, key, value));
  return readable.find(isPortableEntry) ?? readable[0];
}

function plainTail(tail: string): string {
  const note = tail.trim();
  return note === "" ? "" : ` ${note}`;
}

function parsesAs(line: string, key: string, value: string): boolean {
  const { entries, strays } = parseEnvDocument(line);
  return entries.length === 1 && strays.length === 0 && entries[0]?.key === key && entries[0].value === value;
}

/** A later quote of the same kind would end such a value. */
function openQuoteMarks({ text, entries }: EnvDocument): Set<string> {
  const first = entries.map(({ value, valueStart }) =>
    value.startsWith(text.charAt(valueStart)) ? value.charAt(0) : "",
  );
  return new Set(first.filter((mark) => mark !== "" && "'\"`".includes(mark)));
}

function applyLineEdits(text: string, edits: readonly LineEdit[]): string {
  const lineBreak = text.includes("\r\n") ? "\r\n" : "\n";
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, before, replacement } of edits.toSorted((a, b) => a.start - b.start)) {
    parts.push(text.slice(from, start));
    const isBehindBreak = start === 0 || /[\r\n\uFEFF]/.test(text.charAt(start - 1));
    if (before.length > 0) parts.push(replacement);
    else parts.push(isBehindBreak ? replacement + lineBreak : lineBreak + replacement);
    from = end;
  }
  return parts.join("") + text.slice(from);
}

export function requireValues(
  read: ReadonlyMap<string, string>,
  expected: ReadonlyMap<string, string>,
  what: string,
): void {
  const wrong = [...expected.keys(), ...read.keys()].find((key) => expected.get(key) !== read.get(key));
  if (wrong !== undefined) throw new UnwritableValue(`${what} without changing how ${wrong} reads`);
}
