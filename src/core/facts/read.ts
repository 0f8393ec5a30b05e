import type * as z from "zod";
import { isValid, sortIssues, type Issue } from "../contract/issue.ts";
import { suggest } from "../report/suggest.ts";
import { parseYaml } from "../yaml/parse.ts";
import type { YamlSource } from "../yaml/source.ts";
import { contractIssues, matrixIssues, type Finding } from "./consistency.ts";
import {
  capabilityMatrixSchema,
  runtimeContractSchema,
  type CapabilityMatrix,
  type RuntimeContract,
} from "./schema.ts";

/** A declarative source as read: the value, or every reason why there is none. */
export type Fact<T> =
  | { readonly value: T; readonly issues: readonly [] }
  | { readonly issues: readonly Issue[]; readonly value?: never };

/** Reads a `runtime-contract.yaml` strictly. `file` is the name that issues carry. */
export function readRuntimeContract(text: string, file: string): Fact<RuntimeContract> {
  return readFact(parseYaml(text, file), runtimeContractSchema, contractIssues);
}

/** Reads a `capability-matrix.yaml` strictly, its references against the given runtime contract. */
export function readCapabilityMatrix(text: string, file: string, contract: RuntimeContract): Fact<CapabilityMatrix> {
  return readFact(parseYaml(text, file), capabilityMatrixSchema, (matrix) => matrixIssues(matrix, contract));
}

function readFact<T>(source: YamlSource, schema: z.ZodType<T>, check: (value: T) => Finding[]): Fact<T> {
  if (!isValid(source.issues)) return { issues: source.issues };
  const parsed = schema.safeParse(source.value);
  if (!parsed.success)
    return { issues: sortIssues(parsed.error.issues.flatMap((issue) => shapeIssues(issue, source))) };
  const findings = check(parsed.data).map((finding) => toIssue(finding, source));
  return findings.length > 0 ? { issues: sortIssues(findings) } : { value: parsed.data, issues: [] };
}

function toIssue({ path, message, accepted, given }: Finding, source: YamlSource): Issue {
  const suggestion = given === undefined || !accepted ? undefined : suggest(given, accepted);
  return {
    code: "FACT_REFERENCE",
    severity: "error",
    path,
    message: accepted ? `${message}; accepted: ${accepted.join(", ")}` : message,
    ...(accepted && { accepted }),
    ...(suggestion !== undefined && { suggestion }),
    at: source.at(path),
  };
}

function shapeIssues(issue: z.core.$ZodIssue, source: YamlSource): Issue[] {
  const path = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      const at = source.at([...path, key], "key");
      return {
        code: "FACT_UNKNOWN_KEY",
        severity: "error",
        path: [...path, key],
        message: `"${key}" is not a known key here`,
        at,
      };
    });
  }
  const where = path.length === 0 ? "the document" : path.join(".");
  const accepted = issue.code === "invalid_value" ? issue.values.map(String) : undefined;
  const message = accepted ? `${where}: accepted: ${accepted.join(", ")}` : `${where}: ${issue.message}`;
  const part = issue.code === "invalid_key" ? "key" : "value";
  return [
    { code: "FACT_SHAPE", severity: "error", path, message, ...(accepted && { accepted }), at: source.at(path, part) },
  ];
}
