import type { Code } from "../../api/codes.generated.ts";
import type { Issue } from "../../api/issue.ts";
import { refusal, SvcmError } from "../../errors.ts";
import { didYouMean } from "../../words/suggest.ts";
import type { Change } from "../../yaml/splice/change.ts";
import { foldName } from "../name.ts";
import { type Candidate, textField } from "../candidate.ts";
import { isRecord } from "../../words/record.ts";
import { show } from "../rule.ts";
import { type ListSection, shapeIssue } from "../shape.ts";

export interface DocumentEdit {
  readonly changes: readonly Change[];
  readonly target: string;
  readonly keys: readonly string[];
  readonly before?: Candidate;
  readonly entry?: Candidate;
  readonly defaults?: readonly string[];
  readonly left?: readonly Issue[];
}

const MOST_NAMES = 20;

export interface Located {
  readonly entry: Candidate;
  readonly index: number;
}

/** `undefined` stands for an empty document. @throws {SvcmError} INVALID_PAYLOAD */
export function documentMap(document: unknown): Candidate {
  if (document === undefined) return {};
  if (isRecord(document)) return document;
  throw shapeRefusal([], "a map", document);
}

/** A missing list is empty. @throws {SvcmError} INVALID_PAYLOAD */
export function entriesOf(document: unknown, section: ListSection): Located[] {
  const list = documentMap(document)[section] ?? [];
  if (!Array.isArray(list)) throw shapeRefusal([section], "a list", list);
  return list.flatMap((entry: unknown, index) => (isRecord(entry) ? [{ entry, index }] : []));
}

/** @throws {SvcmError} INVALID_PAYLOAD with every issue */
export function refuseIssues(issues: readonly Issue[], path: Issue["path"]): void {
  if (issues.length > 0) throw refusal("INVALID_PAYLOAD", placed(issues, path));
}

export function placed(issues: readonly Issue[], path: Issue["path"]): Issue[] {
  return issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
}

/** svcm reports unknown keys that the entry already has, but keeps them. */
export function splitKnown(issues: readonly Issue[], entry: Candidate): { bad: Issue[]; left: Issue[] } {
  const isOld = ({ code, path }: Issue): boolean =>
    code === "SUITE_UNKNOWN_KEY" && Object.hasOwn(entry, String(path.at(-1)));
  return { bad: issues.filter((issue) => !isOld(issue)), left: issues.filter(isOld) };
}

export function entryChanges(
  path: Issue["path"],
  before: Candidate,
  after: Candidate,
  order: readonly string[],
): Change[] {
  const changed = changedKeys(before, after);
  const gone = changed.filter((key) => after[key] === undefined);
  const set = changed.filter((key) => after[key] !== undefined);
  const inOrder = set.toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
  return [
    ...inOrder.map((key): Change => ({ kind: "set", path: [...path, key], value: after[key], order })),
    ...gone.map((key): Change => ({ kind: "delete", path: [...path, key] })),
  ];
}

export function changedKeys(before: Candidate, after: Candidate): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => before[key] !== after[key]);
}

/** Ignores case. If several names match, the exact spelling wins. */
export function namedEntry(
  entries: readonly Located[],
  field: string,
  asked: string,
  words: { readonly noun: string; readonly notFound: Code; readonly ambiguous: Code },
): Located {
  const wanted = asked.trim();
  const near = entries.filter(({ entry }) => foldName(textField(entry, field)) === foldName(wanted));
  const exact = near.filter(({ entry }) => textField(entry, field) === wanted);
  const [found, second] = exact.length > 0 ? exact : near;
  if (found && !second) return found;
  const names = entries.map(({ entry }) => textField(entry, field)).filter((name) => name !== "");
  if (found)
    throw new SvcmError("INVALID_PAYLOAD", {
      code: words.ambiguous,
      details: `${near.length} ${words.noun}s are named ${show(wanted)}; rename one of them in the file first.`,
    });
  const more = names.length > MOST_NAMES ? `, and ${names.length - MOST_NAMES} more` : "";
  const known =
    names.length === 0
      ? `the document has no ${words.noun}s`
      : `accepted: ${names.slice(0, MOST_NAMES).join(", ")}${more}`;
  throw new SvcmError("NOT_FOUND", {
    code: words.notFound,
    details: `No ${words.noun} is named ${show(wanted)}; ${known}.`,
    hint: didYouMean(wanted, names),
  });
}

export function shapeRefusal(path: Issue["path"], expected: string, given: unknown): SvcmError {
  return refusal("INVALID_PAYLOAD", [shapeIssue(path, expected, given)]);
}
