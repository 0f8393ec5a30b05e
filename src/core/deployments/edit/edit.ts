import type { Issue } from "../../api/issue.ts";
import { refusal, SvcmError } from "../../errors.ts";
import { suggest } from "../../words/suggest.ts";
import type { Change } from "../../yaml/splice/change.ts";
import { foldName } from "../name.ts";
import { type Candidate, textOf, isMap } from "../candidate.ts";
import { show } from "../rule.ts";
import { type ListSection, shapeIssue } from "../shape.ts";

/** What an edit of the deployments document comes to, decided on the document as it is. */
export interface DocumentEdit {
  readonly changes: readonly Change[];
  /** The entry that the edit is about, by the name that people know it by. */
  readonly target: string;
  /** Names of the fields that get another value. */
  readonly keys: readonly string[];
  /** The entry before; absent where it is new. */
  readonly before?: Candidate;
  /** The entry afterwards; absent where it goes. */
  readonly entry?: Candidate;
  /** Fields of the entry that were not asked for and took their default. */
  readonly defaults?: readonly string[];
  /** What is wrong with the entry and was so before: the edit leaves it. */
  readonly left?: readonly Issue[];
}

/** How many names a refusal lists. */
const MOST_NAMES = 20;

/** An entry of a list, with its place. */
export interface Located {
  readonly entry: Candidate;
  readonly index: number;
}

/** The document as a map; nothing at all is an empty one. @throws {SvcmError} INVALID_PAYLOAD */
export function documentMap(document: unknown): Candidate {
  if (document === undefined) return {};
  if (isMap(document)) return document;
  throw shapeRefusal([], "a map", document);
}

/** The entries of a list; none where the section is absent or empty. @throws {SvcmError} INVALID_PAYLOAD */
export function entriesOf(document: unknown, section: ListSection): Located[] {
  const list = documentMap(document)[section] ?? [];
  if (!Array.isArray(list)) throw shapeRefusal([section], "a list", list);
  return list.flatMap((entry: unknown, index) => (isMap(entry) ? [{ entry, index }] : []));
}

/** Refuses a candidate with everything that is wrong with it. @throws {SvcmError} INVALID_PAYLOAD */
export function refuseIssues(issues: readonly Issue[], path: Issue["path"]): void {
  if (issues.length > 0) throw refusal("INVALID_PAYLOAD", placed(issues, path));
}

/** The same issues, seen from the document. */
export function placed(issues: readonly Issue[], path: Issue["path"]): Issue[] {
  return issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
}

/** Keys that the document does not have, but the entry has: they are reported, and survive. */
export function splitKnown(issues: readonly Issue[], entry: Candidate): { bad: Issue[]; left: Issue[] } {
  const isOld = ({ code, path }: Issue): boolean =>
    code === "SUITE_UNKNOWN_KEY" && Object.hasOwn(entry, String(path.at(-1)));
  return { bad: issues.filter((issue) => !isOld(issue)), left: issues.filter(isOld) };
}

/** The changes that turn one entry into another, field by field. */
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

/** Fields that two entries do not agree on; values are texts, or are kept as they are. */
export function changedKeys(before: Candidate, after: Candidate): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => before[key] !== after[key]);
}

/** The one entry that a name means, whatever its case; where several are near, the one in its exact spelling. */
export function namedEntry(
  entries: readonly Located[],
  field: string,
  asked: string,
  words: { readonly noun: string; readonly notFound: string; readonly ambiguous: string },
): Located {
  const wanted = asked.trim();
  const near = entries.filter(({ entry }) => foldName(textOf(entry, field)) === foldName(wanted));
  const exact = near.filter(({ entry }) => textOf(entry, field) === wanted);
  const [found, second] = exact.length > 0 ? exact : near;
  if (found && !second) return found;
  const names = entries.map(({ entry }) => textOf(entry, field)).filter((name) => name !== "");
  if (found)
    throw new SvcmError("INVALID_PAYLOAD", {
      code: words.ambiguous,
      details: `${near.length} ${words.noun}s are called ${show(wanted)}; rename one of them in the file first.`,
    });
  const meant = suggest(wanted, names);
  const more = names.length > MOST_NAMES ? `, and ${names.length - MOST_NAMES} more` : "";
  const listed = names.length === 0 ? "is none" : `are: ${names.slice(0, MOST_NAMES).join(", ")}${more}`;
  throw new SvcmError("NOT_FOUND", {
    code: words.notFound,
    details: `No ${words.noun} is called ${show(wanted)}; there ${listed}.`,
    ...(meant !== undefined && { hint: `Did you mean ${meant}?` }),
  });
}

/** The refusal of an edit below a value of the wrong kind. */
export function shapeRefusal(path: Issue["path"], expected: string, given: unknown): SvcmError {
  return refusal("INVALID_PAYLOAD", [shapeIssue(path, expected, given)]);
}
