import { type EnvDocument, type EnvEntry, parseEnvDocument, type Span, spellings, valuesOf } from "./document.ts";
import { isPortableEntry, nodeReading, openQuoteReason, type Doubt } from "./portable.ts";
import type { LineChange } from "../words/line-change.ts";

/** Another line would read differently, or no quoting preserves the value. */
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
  /** Why `node --env-file` may read the new line differently from dotenv. */
  readonly doubts: readonly Doubt[];
}

/** `text` is the same string if nothing changes. */
export interface Edited {
  readonly text: string;
  readonly edits: readonly KeyEdit[];
}

/**
 * Changes the last assignment of a key, else uncomments the last `# KEY=`, else appends a line. A line that only some
 * readers would read correctly (`KEY: value`, a tab) is rewritten in the plain form.
 * @throws {UnwritableValue}
 * @see CONTRACT section 3, write semantics
 */
export function setValues(text: string, assignments: readonly Assignment[]): Edited {
  const document = parseEnvDocument(text);
  const held = new Map(document.entries.map((entry) => [entry.key, entry]));
  const asked = assignments.filter(({ key, value }) => (held.get(key)?.value ?? "") !== value);
  if (asked.length === 0) return { text, edits: [] };
  const place = placesIn(document, held, asked);
  const write = writer(document);
  const written = asked.map((assignment) => write(place(assignment), assignment));
  const next = spliced(text, written);
  const after = parseEnvDocument(next);
  requireReading(
    valuesOf(after),
    new Map([...valuesOf(document), ...asked.map(({ key, value }) => [key, value] as const)]),
    `${asked.map(({ key }) => key).join(", ")} cannot be written`,
  );
  const now = new Map(after.entries.map((entry) => [entry.key, entry]));
  const reading = nodeReading(after);
  const edits = written.map(({ key, line, before, after: lines }) => {
    const entry = now.get(key);
    return { key, change: { line, before, after: lines }, doubts: entry ? reading.doubtsAbout(entry) : [] };
  });
  return { text: next, edits };
}

interface Place {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly head: string;
  readonly tail: string;
  readonly isNew: boolean;
}

type Written = LineChange & Pick<Place, "start" | "end"> & { readonly key: string; readonly replacement: string };

function placesIn(document: EnvDocument, held: ReadonlyMap<string, EnvEntry>, asked: readonly Assignment[]) {
  const { text } = document;
  const absent = asked.filter(({ key }) => !held.has(key));
  const commented = commentedPlaces(document, new Map(absent.map((assignment) => [assignment.key, assignment])));
  const end = appendingPlace(document);
  let { line: nextLine } = end;
  return ({ key }: Assignment): Place => {
    const entry = held.get(key);
    if (!entry) return commented.get(key) ?? { ...end, line: nextLine++, head: `${key}=`, tail: "", isNew: true };
    const { start, line, valueStart, valueEnd } = entry;
    const [head, tail] = [text.slice(start, valueStart), text.slice(valueEnd, entry.end)];
    return { start, end: entry.end, line, head, tail, isNew: false };
  };
}

function commentedPlaces({ text, comments }: EnvDocument, asked: ReadonlyMap<string, Assignment>): Map<string, Place> {
  const places = new Map<string, Place>();
  if (asked.size === 0) return places;
  for (const span of comments.toReversed()) {
    const line = text.slice(span.start, span.end);
    const content = line.replace(/^[^#]*#+\s*/, "");
    const key = /^(?:export\s+)?([\w.-]+)/.exec(content)?.[1] ?? "";
    const assignment = places.has(key) ? undefined : asked.get(key);
    const place = assignment && commentedPlace(span, line, content, assignment);
    if (place) places.set(key, place);
  }
  return places;
}

function commentedPlace(span: Span, line: string, content: string, { key, isValue }: Assignment): Place | undefined {
  const entry = parseEnvDocument(content).entries[0];
  if (entry?.key !== key || !content.slice(0, entry.valueStart).includes("=")) return undefined;
  const isBare = entry.valueEnd - entry.valueStart === entry.value.length;
  if (isBare && /\s/.test(entry.value) && !isValue?.(entry.value)) return undefined;
  const mark = line.startsWith("\uFEFF") ? "\uFEFF" : "";
  const head = mark + content.slice(0, entry.valueStart);
  return { ...span, head, tail: content.slice(entry.valueEnd), isNew: false };
}

/** Node 20 joins white space at the end of the file with a line that follows. */
function appendingPlace({ text, strays }: EnvDocument): Pick<Place, "start" | "end" | "line"> {
  const content = text.trimEnd().length;
  const blank = strays.find((stray) => stray.start >= content);
  const isMarked = blank !== undefined && text.startsWith("\uFEFF", blank.start);
  const start = blank ? blank.start + (isMarked ? 1 : 0) : text.length;
  const lines = linesOf(text.slice(0, start));
  return { start, end: start, line: /^\uFEFF?$/.test(lines.at(-1) ?? "") ? lines.length : lines.length + 1 };
}

function writer(document: EnvDocument): (place: Place, assignment: Assignment) => Written {
  const avoided = openMarks(document);
  const reading = nodeReading(document);
  return (place, { key, value }) => {
    const { start, end, line, isNew } = place;
    const replacement = bestLine(place, key, value, avoided);
    const swallowing = reading.openAt(start).find(({ mark }) => replacement?.includes(mark));
    if (replacement === undefined || swallowing) {
      const why = swallowing ? `: ${openQuoteReason(swallowing)}` : " so that every reader returns its value";
      throw new UnwritableValue(`${key} cannot be written to this file${why}`);
    }
    const before = isNew ? [] : linesOf(document.text.slice(start, end));
    return { key, start, end, line, before, after: linesOf(replacement), replacement };
  };
}

export function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}

/** Prefers the line that most readers read correctly, then the author's style. */
function bestLine({ head, tail }: Place, key: string, value: string, avoided: ReadonlySet<string>): string | undefined {
  const mark = head.startsWith("\uFEFF") ? "\uFEFF" : "";
  const plain = `${mark}${/^\uFEFF?\s*export\s/.test(head) ? "export " : ""}${key}=`;
  const forms = [[head, tail] as const, [plain, tail] as const, [plain, plainTail(tail)] as const];
  const values = spellings(value).filter((written) => !avoided.has(written.charAt(0)));
  const readable = forms
    .flatMap(([before, after]) => values.map((written) => before + written + after))
    .filter((line) => readsAs(line, key, value));
  return readable.find(isPortableEntry) ?? readable[0];
}

function plainTail(tail: string): string {
  const note = tail.trim();
  return note === "" ? "" : ` ${note}`;
}

function readsAs(line: string, key: string, value: string): boolean {
  const { entries, strays } = parseEnvDocument(line);
  return entries.length === 1 && strays.length === 0 && entries[0]?.key === key && entries[0].value === value;
}

/** A later quote of the same kind would end such a value. */
function openMarks({ text, entries }: EnvDocument): Set<string> {
  const first = entries.map(({ value, valueStart }) =>
    value.startsWith(text.charAt(valueStart)) ? value.charAt(0) : "",
  );
  return new Set(first.filter((mark) => mark !== "" && "'\"`".includes(mark)));
}

function spliced(text: string, written: readonly Written[]): string {
  const lineBreak = text.includes("\r\n") ? "\r\n" : "\n";
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, before, replacement } of written.toSorted((a, b) => a.start - b.start)) {
    parts.push(text.slice(from, start));
    const isBehindBreak = start === 0 || /[\r\n\uFEFF]/.test(text.charAt(start - 1));
    if (before.length > 0) parts.push(replacement);
    else parts.push(isBehindBreak ? replacement + lineBreak : lineBreak + replacement);
    from = end;
  }
  return parts.join("") + text.slice(from);
}

export function requireReading(
  read: ReadonlyMap<string, string>,
  expected: ReadonlyMap<string, string>,
  what: string,
): void {
  const wrong = [...expected.keys(), ...read.keys()].find((key) => expected.get(key) !== read.get(key));
  if (wrong !== undefined) throw new UnwritableValue(`${what} without changing how ${wrong} reads`);
}
