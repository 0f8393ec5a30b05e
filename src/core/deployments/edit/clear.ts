import type { Issue } from "../../api/issue.ts";
import { accepting, toIssue } from "../../findings/rule.ts";
import { show } from "../rule.ts";
import type { Candidate } from "../candidate.ts";
import { refuseIssues } from "./edit.ts";

/** @throws {SvcmError} INVALID_PAYLOAD for an unknown field that the entry does not have */
export function refuseUnknownFields(
  fields: readonly string[],
  entry: Candidate,
  known: readonly string[],
  path: Issue["path"],
): void {
  const strangers = fields.filter((field) => !known.includes(field) && !Object.hasOwn(entry, field));
  if (strangers.length === 0) return;
  const accepted = [...new Set([...known, ...Object.keys(entry)])];
  refuseIssues(
    strangers.map((field) => unknownKey(field, "cleared", accepted)),
    path,
  );
}

export function unknownKey(field: string, done: "cleared" | "set", accepted: readonly string[]): Issue {
  const words = accepting(`${show(field)} cannot be ${done}`, accepted, field);
  return toIssue({ code: "SUITE_UNKNOWN_KEY", severity: "error", path: [field], ...words });
}
