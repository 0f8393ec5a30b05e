import { compareText } from "../../api/issue.ts";
import type { Candidate } from "../candidate.ts";
import { isRecord } from "../../words/record.ts";
import type { FieldChange } from "./change.ts";

export function diffFields(from: Candidate = {}, to: Candidate = {}): FieldChange[] {
  const names = [...Object.keys(to), ...Object.keys(from).filter((name) => !Object.hasOwn(to, name))];
  return names
    .filter((field) => fingerprint(from[field]) !== fingerprint(to[field]))
    .map((field) => ({
      field,
      ...(from[field] !== undefined && { from: from[field] }),
      ...(to[field] !== undefined && { to: to[field] }),
    }));
}

export function changeKind(before: unknown, after: unknown): "added" | "removed" | "changed" {
  if (before === undefined) return "added";
  return after === undefined ? "removed" : "changed";
}

export function fingerprint(value: unknown): string {
  return JSON.stringify(sortKeys(value)) ?? "";
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => compareText(a, b));
  return Object.fromEntries(entries.map(([key, member]) => [key, sortKeys(member)]));
}
