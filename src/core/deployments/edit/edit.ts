import { quoteValue } from "../../findings/text.ts";
import type { Code, Issue } from "../../api/issue.ts";
import { refusal, SvcmError } from "../../api/errors.ts";
import { didYouMean } from "../../words/suggest.ts";
import type { Change } from "../../yaml/splice/change.ts";
import { foldName, type Candidate, textField } from "../file.ts";
import type { Indexed } from "../diff/change.ts";
import { isRecord } from "../../words/record.ts";
import { type ListSection, shapeIssue } from "../shape.ts";
import { withAccepted, toIssue } from "../../findings/rule.ts";

export interface DocumentEdit {
  readonly changes: readonly Change[];
  readonly target: string;
  readonly keys: readonly string[];
  readonly before?: Candidate;
  readonly entry?: Candidate;
  readonly defaults?: readonly string[];
  readonly issues?: readonly Issue[];
}

const MAX_NAMES = 20;

export type IndexedEntry = Indexed<Candidate>;

/** `undefined` stands for an empty document. @throws {SvcmError} INVALID_PAYLOAD */
export function documentMap(document: unknown): Candidate {
  if (document === undefined) return {};
  if (isRecord(document)) return document;
  throw shapeRefusal([], "a map", document);
}

/** A missing list is empty. @throws {SvcmError} INVALID_PAYLOAD */
export function entriesOf(document: unknown, section: ListSection): IndexedEntry[] {
  const list = documentMap(document)[section] ?? [];
  if (!Array.isArray(list)) throw shapeRefusal([section], "a list", list);
  return list.flatMap((entry: unknown, index) => (isRecord(entry) ? [{ entry, index }] : []));
}

/** @throws {SvcmError} INVALID_PAYLOAD with every issue */
export function refuseIssues(issues: readonly Issue[], path: Issue["path"]): void {
  if (issues.length > 0) throw refusal("INVALID_PAYLOAD", prefixPaths(issues, path));
}

export function prefixPaths(issues: readonly Issue[], path: Issue["path"]): Issue[] {
  return issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
}

/** svcm reports unknown keys that the entry already has, but keeps them. */
export function splitIssues(issues: readonly Issue[], entry: Candidate): { refused: Issue[]; tolerated: Issue[] } {
  const isOld = ({ code, path }: Issue): boolean =>
    code === "SUITE_UNKNOWN_KEY" && Object.hasOwn(entry, String(path.at(-1)));
  return { refused: issues.filter((issue) => !isOld(issue)), tolerated: issues.filter(isOld) };
}

/** @throws {SvcmError} INVALID_PAYLOAD for an unknown field that the entry does not have */
export function refuseUnknownFields(
  fields: readonly string[],
  entry: Candidate,
  known: readonly string[],
  path: Issue["path"],
): void {
  const unknown = fields.filter((field) => !known.includes(field) && !Object.hasOwn(entry, field));
  if (unknown.length === 0) return;
  const accepted = [...new Set([...known, ...Object.keys(entry)])];
  refuseIssues(
    unknown.map((field) => unknownKeyIssue(field, "cleared", accepted)),
    path,
  );
}

export function unknownKeyIssue(field: string, done: "cleared" | "set", accepted: readonly string[]): Issue {
  const words = withAccepted(`${quoteValue(field)} cannot be ${done}`, accepted, field);
  return toIssue({ code: "SUITE_UNKNOWN_KEY", severity: "error", path: [field], ...words });
}

export function entryChanges(
  path: Issue["path"],
  before: Candidate,
  after: Candidate,
  order: readonly string[],
): Change[] {
  const changed = changedKeys(before, after);
  const removed = changed.filter((key) => after[key] === undefined);
  const set = changed.filter((key) => after[key] !== undefined);
  const sorted = set.toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
  return [
    ...sorted.map((key): Change => ({ kind: "set", path: [...path, key], value: after[key], order })),
    ...removed.map((key): Change => ({ kind: "delete", path: [...path, key] })),
  ];
}

export function changedKeys(before: Candidate, after: Candidate): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => before[key] !== after[key]);
}

/** Ignores case. If several names match, the exact spelling wins. */
export function findEntry(
  entries: readonly IndexedEntry[],
  field: string,
  query: string,
  words: { readonly noun: string; readonly notFound: Code; readonly ambiguous: Code },
): IndexedEntry {
  const name = query.trim();
  const matches = entries.filter(({ entry }) => foldName(textField(entry, field)) === foldName(name));
  const exact = matches.filter(({ entry }) => textField(entry, field) === name);
  const [found, second] = exact.length > 0 ? exact : matches;
  if (found && !second) return found;
  const names = entries.map(({ entry }) => textField(entry, field)).filter((other) => other !== "");
  if (found)
    throw new SvcmError("INVALID_PAYLOAD", {
      code: words.ambiguous,
      details: `${matches.length} ${words.noun}s are named ${quoteValue(name)}; rename one of them in the file first.`,
    });
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : "";
  const accepted =
    names.length === 0
      ? `the document has no ${words.noun}s`
      : `accepted: ${names.slice(0, MAX_NAMES).join(", ")}${more}`;
  throw new SvcmError("NOT_FOUND", {
    code: words.notFound,
    details: `No ${words.noun} is named ${quoteValue(name)}; ${accepted}.`,
    hint: didYouMean(name, names),
  });
}

export function shapeRefusal(path: Issue["path"], expected: string, value: unknown): SvcmError {
  return refusal("INVALID_PAYLOAD", [shapeIssue(path, expected, value)]);
}
