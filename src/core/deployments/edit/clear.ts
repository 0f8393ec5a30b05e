import { refusal } from "../../errors.ts";
import type { Issue } from "../../api/issue.ts";
import { suggest } from "../../words/suggest.ts";
import { show } from "../rule.ts";
import type { Candidate } from "../candidate.ts";

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
  const issues = strangers.map((field): Issue => {
    const suggestion = suggest(field, accepted);
    return {
      code: "SUITE_UNKNOWN_KEY",
      severity: "error",
      path: [...path, field],
      message: `${show(field)} cannot be cleared; accepted: ${accepted.join(", ")}`,
      accepted,
      ...(suggestion !== undefined && { suggestion }),
    };
  });
  throw refusal("INVALID_PAYLOAD", issues);
}
