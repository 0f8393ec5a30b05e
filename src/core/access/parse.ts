import type * as z from "zod/mini";
import { refusal, type ErrorKind } from "../api/errors.ts";
import { sortIssues, type Issue } from "../api/issue.ts";

/**
 * Messages do not repeat the given values, which may be secrets.
 * @throws {SvcmError} of the given kind, with every issue
 */
export function parseInput<T>(schema: z.ZodMiniType<T>, input: unknown, kind: ErrorKind): T {
  const parsed = schema.safeParse(input, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw refusal(kind, sortIssues(parsed.error.issues.map(toIssue)));
}

function toIssue(issue: z.core.$ZodIssue): Issue {
  const path = issue.path.map((step) => (typeof step === "number" ? step : String(step)));
  const where = path.length === 0 ? "the input" : path.join(".");
  return { code: "INPUT_INVALID", severity: "error", path, message: `${where}: ${explain(issue)}` };
}

function explain(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is missing" : `expected ${issue.expected}, got ${typeName(issue.input)}`;
    case "invalid_value":
      return `accepted: ${issue.values.join(", ")}`;
    case "unrecognized_keys":
      return `unknown ${issue.keys.length === 1 ? "member" : "members"} ${issue.keys.map((key) => JSON.stringify(key)).join(", ")}`;
    case "too_small":
      return `expected at least ${issue.minimum}`;
    case "too_big":
      return `expected at most ${issue.maximum}`;
    default:
      return "not accepted";
  }
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
