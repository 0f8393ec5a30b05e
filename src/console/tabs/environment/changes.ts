/** What an edit comes to: pure decisions about values that were read and values that were entered. */
import type { Issue } from "../../../core/api/issue.ts";
import { valueProblem } from "../../../core/env/value-rules.ts";
import { shownValue } from "../../../core/env/values.ts";
import type { EnvRead } from "../../data/api.ts";
import type { Facts } from "../../data/contract.ts";

type Keys = Facts["contract"]["keys"];
export type KeySpec = Keys[string];

/** What was entered, by key. */
export type Edits = Readonly<Record<string, string>>;

export interface Change {
  readonly key: string;
  readonly from: string;
  readonly to: string;
}

/** Only what differs from the file: nothing else is ever sent. */
export function changesOf({ editableKeys, values }: EnvRead, edits: Edits): Change[] {
  return editableKeys.flatMap((key) => {
    const [from = "", to] = [values[key], edits[key]];
    return to === undefined || to === from ? [] : [{ key, from, to }];
  });
}

/** The server's own rule over values that are to be written. @see valueProblem */
export function issuesOf(keys: Keys, changes: readonly Change[]): Issue[] {
  return changes.flatMap(({ key, to }): Issue[] => {
    const spec = keys[key];
    const problem = spec && valueProblem(key, spec, to);
    return problem ? [{ ...problem, path: ["values", key] }] : [];
  });
}

/** The issues that are about one key. */
export function issuesFor<Shown extends Pick<Issue, "path">>(issues: readonly Shown[], key: string): Shown[] {
  return issues.filter(({ path }) => path.at(-1) === key);
}

/** One key of a file that was changed by somebody else meanwhile. */
export interface Contest {
  readonly key: string;
  readonly before: string;
  readonly now: string;
  /** Absent where it was not edited here. */
  readonly edited?: string;
}

/** Every key that the file changed or that was edited: what it said, what it says now, and what was entered. */
export function contestsOf(before: EnvRead, now: EnvRead, edits: Edits): Contest[] {
  const edited = new Map(changesOf(before, edits).map(({ key, to }) => [key, to]));
  return Object.keys(now.values).flatMap((key) => {
    const [was = "", is = "", to] = [before.values[key], now.values[key], edited.get(key)];
    if (was === is && to === undefined) return [];
    return [{ key, before: was, now: is, ...(to !== undefined && { edited: to }) }];
  });
}

/** A value as people read it: an empty one has a name, credentials are masked. */
export function wordsOf(spec: KeySpec | undefined, value: string): string {
  if (value !== "") return shownValue(spec, value);
  return spec && "emptyLabel" in spec && spec.emptyLabel !== undefined ? `${spec.emptyLabel} (empty)` : "empty";
}
