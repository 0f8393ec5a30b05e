import * as z from "zod";
import { isValid, sortIssues, type Issue } from "../../api/issue.ts";
import { toIssue } from "../../findings/rule.ts";
import { MAX_PORT } from "../../words/numbers.ts";
import { parseYaml } from "../../yaml/parse.ts";
import type { Path, YamlSource } from "../../yaml/source.ts";
import { contractIssues, matrixIssues, type FactFinding } from "./consistency.ts";
import {
  capabilityMatrixSchema,
  runtimeContractSchema,
  type CapabilityMatrix,
  type DeclaredContract,
  type KeySpec,
  type RuntimeContract,
} from "../../api/facts.ts";
import { suggest } from "../../words/suggest.ts";
import { maskCredentials, maskSource } from "../../secrets/redact.ts";

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

export function shapeIssues(issue: z.core.$ZodIssue, source: YamlSource, schema: z.ZodType): Issue[] {
  const path = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey([...path, key], source, schema));
  if (issue.code === "custom") return [shapeIssue(path, `${nameOf(path)}: ${issue.message}`, source)];
  if (issue.code === "invalid_key") return [keyIssue(path, source, schema)];
  return [valueIssue(path, source, schema)];
}

function valueIssue(path: Path, source: YamlSource, schema: z.ZodType): Issue {
  const value = valueAt(source.value, path);
  const expected = schemaAt(schema, source.value, path);
  const accepted = expected === undefined ? "nothing" : describeExpected(expected);
  const words = value === undefined ? `${nameOf(path)} is missing` : `${maskedValue(path, value)} is not accepted`;
  const issue = shapeIssue(path, `${words}; accepted: ${accepted}`, source);
  const choices = expected === undefined ? undefined : choicesOf(expected);
  const suggestion = typeof value === "string" && choices ? suggest(value, choices) : undefined;
  return { ...issue, accepted: choices, suggestion };
}

function maskedValue(path: Path, value: unknown): string {
  return maskSource(`${nameOf(path)}: ${quoteValue(value)}`);
}

/** A missing member has no place, so its parent's key gets the issue. */
function shapeIssue(path: Path, message: string, source: YamlSource): Issue {
  const isMissing = path.length > 0 && valueAt(source.value, path) === undefined;
  const at = isMissing ? source.at(path.slice(0, -1), "key") : source.at(path, "value");
  return { code: "FACT_SHAPE", severity: "error", path, message, at };
}

function keyIssue(path: Path, source: YamlSource, schema: z.ZodType): Issue {
  const record = schemaAt(schema, source.value, path.slice(0, -1));
  const accepted = record instanceof z.ZodRecord ? describeExpected(record.keyType as z.ZodType) : "another name";
  const message = `${nameOf(path.slice(0, -1))}: ${quoteValue(path.at(-1))} is not accepted as a name; accepted: ${accepted}`;
  return { code: "FACT_SHAPE", severity: "error", path, message, at: source.at(path, "key") };
}

function unknownKey(path: Path, source: YamlSource, schema: z.ZodType): Issue {
  const parent = schemaAt(schema, source.value, path.slice(0, -1));
  const accepted = parent instanceof z.ZodObject ? Object.keys(parent.shape) : [];
  const suggestion = suggest(String(path.at(-1)), accepted);
  return {
    code: "FACT_UNKNOWN_KEY",
    severity: "error",
    path,
    message: `${quoteValue(path.at(-1))} is not a known key here; accepted: ${accepted.join(", ")}`,
    accepted,
    suggestion,
    at: source.at(path, "key"),
  };
}

function schemaAt(schema: z.ZodType, value: unknown, [step, ...rest]: Path): z.ZodType | undefined {
  const part = unionOption(unwrap(schema), value);
  if (step === undefined) return part;
  const member = memberSchema(part, step);
  return member && schemaAt(member, valueAt(value, [step]), rest);
}

function memberSchema(part: z.ZodType, step: string | number): z.ZodType | undefined {
  if (part instanceof z.ZodObject) return part.shape[step] as z.ZodType | undefined;
  if (part instanceof z.ZodRecord) return part.valueType as z.ZodType;
  return part instanceof z.ZodArray ? (part.element as z.ZodType) : undefined;
}

function unionOption(schema: z.ZodType, value: unknown): z.ZodType {
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return schema;
  const options = schema.options as z.ZodObject<{ kind: z.ZodType }>[];
  const kind = valueAt(value, ["kind"]);
  const named = options.find((option) => choicesOf(option.shape.kind)?.includes(String(kind)));
  return named ?? z.object({ kind: z.enum(options.flatMap((option) => choicesOf(option.shape.kind) ?? [])) });
}

function unwrap(schema: z.ZodType): z.ZodType {
  const isWrapped =
    schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
  if (!isWrapped) return schema;
  return schema.description === undefined ? unwrap(schema.unwrap() as z.ZodType) : schema;
}

function describeExpected(schema: z.ZodType): string {
  if (schema.description !== undefined) return schema.description;
  const choices = choicesOf(schema);
  if (choices) return choices.join(", ");
  if (schema instanceof z.ZodObject) return `a map of ${Object.keys(schema.shape).join(", ")}`;
  if (schema instanceof z.ZodRecord) return `a map by ${describeExpected(schema.keyType as z.ZodType)}`;
  if (schema instanceof z.ZodArray) return `a list, each of it ${describeExpected(schema.element as z.ZodType)}`;
  if (schema instanceof z.ZodBoolean) return "true, false";
  return schema instanceof z.ZodNumber ? integerText(schema) : "text; write numbers, true and false in quotes";
}

function integerText({ minValue, maxValue }: z.ZodNumber): string {
  const [from, to] = [minValue ?? -Infinity, maxValue ?? Infinity];
  if (from <= Number.MIN_SAFE_INTEGER) return "an integer";
  return to >= Number.MAX_SAFE_INTEGER ? `an integer, at least ${from}` : `an integer from ${from} to ${to}`;
}

function choicesOf(schema: z.ZodType): string[] | undefined {
  if (schema instanceof z.ZodEnum) return schema.options.map(String);
  return schema instanceof z.ZodLiteral ? [...schema.values].map(String) : undefined;
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (parent, step) =>
      typeof parent === "object" && parent !== null && Object.hasOwn(parent, step)
        ? (parent as Record<string | number, unknown>)[step]
        : undefined,
    value,
  );
}

function nameOf(path: Path): string {
  return path.length === 0 ? "the document" : path.join(".");
}

function quoteValue(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a map";
  if (value === null) return "nothing";
  const text = JSON.stringify(typeof value === "string" ? maskCredentials(value) : value) ?? "nothing";
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
