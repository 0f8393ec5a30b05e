import type { Issue } from "../../../core/api/issue.ts";
import { valueIssue } from "../../../core/env/value-rules.ts";
import { maskValue } from "../../../core/env/runtime-keys.ts";
import type { EnvReadResponse } from "../../../core/api/bodies.ts";
import type { Facts } from "../../data/contract.ts";

type Keys = Facts["contract"]["keys"];
export type KeySpec = Keys[string];

export type Edits = Readonly<Record<string, string>>;

export interface Change {
  readonly key: string;
  readonly from: string;
  readonly to: string;
}

export function listChanges({ editableKeys, values }: EnvReadResponse, edits: Edits): Change[] {
  return editableKeys.flatMap((key) => {
    const [from = "", to] = [values[key], edits[key]];
    return to === undefined || to === from ? [] : [{ key, from, to }];
  });
}

/** Applies the server's own rule. */
export function validateChanges(keys: Keys, changes: readonly Change[]): Issue[] {
  return changes.flatMap(({ key, to }): Issue[] => {
    const spec = keys[key];
    const problem = spec && valueIssue(key, spec, to);
    return problem ? [{ ...problem, path: ["values", key] }] : [];
  });
}

export function issuesFor<Shown extends Pick<Issue, "path">>(issues: readonly Shown[], key: string): Shown[] {
  return issues.filter(({ path }) => path.at(-1) === key);
}

export interface KeyConflict {
  readonly key: string;
  readonly before: string;
  readonly now: string;
  readonly edited?: string;
}

export function findConflicts(before: EnvReadResponse, now: EnvReadResponse, edits: Edits): KeyConflict[] {
  const edited = new Map(listChanges(before, edits).map(({ key, to }) => [key, to]));
  return Object.keys(now.values).flatMap((key) => {
    const [was = "", is = "", to] = [before.values[key], now.values[key], edited.get(key)];
    if (was === is && to === undefined) return [];
    return [{ key, before: was, now: is, ...(to !== undefined && { edited: to }) }];
  });
}

export function valueText(spec: KeySpec | undefined, value: string): string {
  if (value !== "") return maskValue(spec, value);
  return spec && "emptyLabel" in spec && spec.emptyLabel !== undefined ? `${spec.emptyLabel} (empty)` : "empty";
}
