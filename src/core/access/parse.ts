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
  throw refusal(kind, sortIssues(parsed.error.issues.map((issue) => toIssue(issue, schema))));
}

function toIssue(issue: z.core.$ZodIssue, schema: z.core.$ZodType): Issue {
  const path = issue.path.map((step) => (typeof step === "number" ? step : String(step)));
  const where = path.length === 0 ? "the input" : path.join(".");
  return { code: "INPUT_INVALID", severity: "error", path, message: `${where}: ${explain(issue, schema)}` };
}

function explain(issue: z.core.$ZodIssue, schema: z.core.$ZodType): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is missing" : `expected ${issue.expected}, got ${typeName(issue.input)}`;
    case "invalid_value":
      return `accepted: ${issue.values.join(", ")}`;
    case "unrecognized_keys":
      return `unknown ${issue.keys.length === 1 ? "member" : "members"} ${issue.keys.map((key) => JSON.stringify(key)).join(", ")}${acceptedMembers(schema, issue.path)}`;
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

/** Follows the path into the schema; empty for a union, of which no list is certain. */
function acceptedMembers(schema: z.core.$ZodType, path: readonly PropertyKey[]): string {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const [step, ...rest] = path;
  if (def.type === "optional" || def.type === "nullable" || def.type === "default")
    return acceptedMembers(def.innerType, path);
  if (def.type === "array" && step !== undefined) return acceptedMembers(def.element, rest);
  if (def.type === "record" && step !== undefined) return acceptedMembers(def.valueType, rest);
  if (def.type !== "object") return "";
  const inner = step === undefined ? undefined : def.shape[String(step)];
  if (inner !== undefined) return acceptedMembers(inner, rest);
  const members = Object.keys(def.shape);
  return `; accepted: ${members.join(", ") || "no member"}`;
}
