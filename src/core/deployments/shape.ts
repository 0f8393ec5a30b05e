import { quoteValue } from "../findings/text.ts";
import { type Code, type Issue, MAX_FINDINGS } from "../api/issue.ts";
import { acceptedText, withAccepted, type Finding, toIssue } from "../findings/rule.ts";
import { suggest } from "../words/suggest.ts";
import { findHidden, findOuterSpaces } from "../words/characters.ts";
import { type Candidate, lookup, type Vocabulary } from "./file.ts";
import { isRecord } from "../words/record.ts";
import { configurationFields, interfaceFields, targetFields, type Field, sortByDependency } from "./fields.ts";

export const DOCUMENT_VERSION = "service-management.v1";

export const SECTIONS = {
  version: "text",
  runtimeEnvironment: "text",
  serviceConfiguration: "map",
  interfaces: "list",
  deployments: "list",
  rollout: "map",
} as const;

const MEMBERS: Readonly<Record<Section, { readonly text: readonly string[]; readonly other: readonly string[] }>> = {
  serviceConfiguration: { text: namesOf(configurationFields), other: ["ports"] },
  interfaces: { text: namesOf(interfaceFields), other: [] },
  // For legacy entries.
  deployments: { text: [...namesOf(targetFields), "type"], other: [] },
};

export function fieldNames(section: Section): readonly string[] {
  return section === "deployments" ? namesOf(targetFields) : MEMBERS[section].text;
}

function namesOf(fields: readonly Field[]): string[] {
  return fields.map(({ name }) => name);
}

export type ListSection = "interfaces" | "deployments";
type Section = ListSection | "serviceConfiguration";

export function sectionIssues(document: Candidate): Issue[] {
  return [
    ...unknownKeys(document, Object.keys(SECTIONS), []),
    ...Object.entries(SECTIONS).flatMap(([name, kind]) => kindIssues(name, kind, document[name])),
  ];
}

export function memberIssues(section: Section, candidate: Candidate, path: Issue["path"]): Issue[] {
  const { text, other } = MEMBERS[section];
  const issues = unknownKeys(candidate, text, path, other);
  for (const name of text) issues.push(...textIssues(name, candidate[name], path));
  return issues;
}

export function portIssues(ports: unknown, known: readonly string[], path: Issue["path"]): Issue[] {
  if (ports === undefined) return [];
  return isRecord(ports) ? unknownKeys(ports, known, path) : [shapeIssue(path, "a map", ports)];
}

export function shapeIssue(path: Issue["path"], expected: string, value: unknown): Issue {
  const where = path.length === 0 ? "the document" : path.join(".");
  return shapeFinding("SUITE_SHAPE", path, { message: `${where}: expected ${expected}, got ${typeName(value)}` });
}

function kindIssues(name: string, kind: "text" | "map" | "list", value: unknown): Issue[] {
  if (value === undefined) return [];
  if (kind === "text") return textIssues(name, value, []);
  const isKind = kind === "map" ? isRecord(value) : Array.isArray(value);
  return isKind ? [] : [shapeIssue([name], `a ${kind}`, value)];
}

function unknownKeys(
  candidate: Candidate,
  text: readonly string[],
  path: Issue["path"],
  other: readonly string[] = [],
): Issue[] {
  const unknown = Object.keys(candidate).filter((key) => !text.includes(key) && !other.includes(key));
  const known = unknown.length > 0 ? [...text, ...other] : [];
  return limitIssues(
    unknown.slice(0, MAX_FINDINGS + 1).map((key) => {
      const { message } = withAccepted(`${quoteValue(key)} is not a known key here`, known);
      return shapeFinding("SUITE_UNKNOWN_KEY", [...path, key], { message, suggestion: suggest(key, known) });
    }),
    path,
  );
}

export function limitIssues(issues: Issue[], path: Issue["path"]): Issue[] {
  if (issues.length <= MAX_FINDINGS) return issues;
  const message = `more than ${MAX_FINDINGS} issues; the first of them are listed`;
  return [shapeFinding("SUITE_TOO_MANY_ISSUES", path, { message }), ...issues.slice(0, MAX_FINDINGS)];
}

function textIssues(name: string, value: unknown, parent: Issue["path"]): Issue[] {
  const found = value === undefined ? undefined : textFault(name, value);
  return found ? [shapeFinding(found.code, [...parent, name], { message: `${name}: ${found.what}` })] : [];
}

interface TextFault {
  readonly code: Code;
  readonly what: string;
}

function textFault(name: string, value: unknown): TextFault | undefined {
  if (typeof value !== "string")
    return { code: "SUITE_TEXT_EXPECTED", what: `expected text, got ${describeValue(value)}` };
  const hidden = findHidden(value).slice(0, 5).join(", ");
  if (hidden) return { code: "SUITE_CHARACTERS", what: `the text holds characters that cannot be seen: ${hidden}` };
  return spaceFault(value) ?? (name === "name" ? formFault(value) : undefined);
}

function spaceFault(value: string): TextFault | undefined {
  const spaces = findOuterSpaces(value);
  if (spaces === undefined) return undefined;
  const code = "SUITE_WHITE_SPACE";
  const text = value.trim();
  if (text === "") return { code, what: `the text is white space only (${spaces})` };
  return {
    code,
    what: acceptedText(`${quoteValue(value)} begins or ends with white space (${spaces})`, quoteValue(text)),
  };
}

function formFault(value: string): TextFault | undefined {
  if (value === value.normalize("NFC")) return undefined;
  const what = `${quoteValue(value)} is not in Unicode normalization form NFC`;
  return { code: "SUITE_CHARACTERS", what: acceptedText(what, "the same text with composed characters") };
}

function shapeFinding(code: Code, path: Issue["path"], words: Finding): Issue {
  return toIssue({ code, severity: "error", ...words }, path);
}

function describeValue(value: unknown): string {
  const isScalar = typeof value === "number" || typeof value === "boolean";
  return isScalar ? `${typeName(value)} ${value}` : typeName(value);
}

function typeName(value: unknown): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  return isRecord(value) ? "a map" : `the ${typeof value}`;
}

/** A legacy entry is `{ name, type, region, runtime }`, with `type` instead of `deployTarget`. */
export function isLegacyTarget(entry: Candidate): boolean {
  return Object.hasOwn(entry, "type") && !Object.hasOwn(entry, "deployTarget");
}

/** An empty PM2 profile is treated as absent. */
export function isOutdatedTarget(entry: Candidate): boolean {
  return isLegacyTarget(entry) || entry["pm2Profile"] === "";
}

export function withoutEmptyProfile<T extends Candidate>(entry: T): Omit<T, "pm2Profile"> {
  if (entry["pm2Profile"] !== "") return entry;
  const { pm2Profile: _, ...rest } = entry;
  return rest;
}

/**
 * Missing metadata gets its default. Values that the matrix does not have stay, and the vocabulary rule reports them.
 * @see the specification, "Versioning" 2
 */
export function migrateTarget(entry: Candidate, vocabulary: Vocabulary): Candidate {
  const target: Candidate = withoutEmptyProfile(entry);
  if (!isLegacyTarget(target)) return target;
  const { type, ...rest } = target;
  const deployTarget = lookup(vocabulary.matrix.migration.deployTargetAliases, type) ?? type;
  return { ...targetDefaults({ ...rest, deployTarget }, vocabulary), ...rest, deployTarget };
}

export function targetDefaults(entry: Candidate, vocabulary: Vocabulary): Readonly<Record<string, string>> {
  const defaults: Record<string, string> = {};
  for (const { name, defaultValue } of sortByDependency(targetFields)) {
    const value = defaultValue?.({ ...defaults, ...entry }, vocabulary);
    if (value !== undefined) defaults[name] = value;
  }
  return defaults;
}
