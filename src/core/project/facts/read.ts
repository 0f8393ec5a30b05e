import type * as z from "zod";
import { isValid, sortIssues, type Issue } from "../../api/issue.ts";
import { toIssue } from "../../findings/rule.ts";
import { MAX_PORT } from "../../words/port.ts";
import { parseYaml } from "../../yaml/parse.ts";
import type { YamlSource } from "../../yaml/source.ts";
import { contractIssues, matrixIssues, type FactFinding } from "./consistency.ts";
import {
  capabilityMatrixSchema,
  runtimeContractSchema,
  type CapabilityMatrix,
  type DeclaredContract,
  type KeySpec,
  type RuntimeContract,
} from "../../api/facts.ts";
import { shapeIssues } from "./shape-issues.ts";

export type Fact<T> =
  | { readonly value: T; readonly issues: readonly [] }
  | { readonly issues: readonly Issue[]; readonly value?: never };

export function readRuntimeContract(text: string, file: string): Fact<RuntimeContract> {
  const fact = readFact(parseYaml(text, file), runtimeContractSchema, contractIssues);
  return fact.value === undefined ? fact : { ...fact, value: completeContract(fact.value) };
}

export function completeContract({ keys, ...contract }: DeclaredContract): RuntimeContract {
  return { ...contract, keys: completeKeys(keys) };
}

export function completeKeys(keys: DeclaredContract["keys"]): RuntimeContract["keys"] {
  const entries = Object.entries(keys).map(([key, spec]): [string, KeySpec] => {
    const common = { label: spec.label ?? key, tier: spec.tier ?? "never-exposed" };
    if (spec.kind === "enum") return [key, { ...spec, ...common, default: spec.default ?? "" }];
    const isPort = spec.kind === "integer" && spec.maximum === undefined && /(?:^|_)PORT$/.test(key);
    return [key, { ...spec, ...common, ...(isPort && { maximum: MAX_PORT }) }];
  });
  return Object.fromEntries(entries);
}

/** It may refer to a key of `packaged` that the contract lacks. */
export function readCapabilityMatrix(
  text: string,
  file: string,
  contract: RuntimeContract,
  packaged: Pick<RuntimeContract, "keys"> = { keys: {} },
): Fact<CapabilityMatrix> {
  return readFact(parseYaml(text, file), capabilityMatrixSchema, (matrix) => matrixIssues(matrix, contract, packaged));
}

export function readFact<T>(source: YamlSource, schema: z.ZodType<T>, check: (value: T) => FactFinding[]): Fact<T> {
  if (!isValid(source.issues)) return { issues: source.issues };
  const parsed = schema.safeParse(source.value);
  if (!parsed.success)
    return { issues: sortIssues(parsed.error.issues.flatMap((issue) => shapeIssues(issue, source, schema))) };
  const findings = check(parsed.data).map((finding) => ({
    ...toIssue({ code: "FACT_REFERENCE", severity: "error", ...finding }),
    at: source.at(finding.path),
  }));
  return findings.length > 0 ? { issues: sortIssues(findings) } : { value: parsed.data, issues: [] };
}
