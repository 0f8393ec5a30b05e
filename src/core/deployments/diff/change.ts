import { type Issue, compareText } from "../../api/issue.ts";
import type { Candidate } from "../file.ts";
import { isRecord } from "../../words/record.ts";

export interface DeploymentsDiff {
  readonly changes: readonly Change[];
  readonly notes: readonly Note[];
}

export interface Change {
  readonly section: ChangedSection;
  readonly kind: "added" | "removed" | "renamed" | "changed";
  readonly name?: string;
  readonly previousName?: string;
  readonly fields: readonly FieldChange[];
  readonly effects: readonly Effect[];
}

export type ChangedSection = "document" | "runtimeEnvironment" | "serviceConfiguration" | "interfaces" | "deployments";

/** `from` is absent if only the new document has the member, `to` if only the old one has it. */
export interface FieldChange {
  readonly field: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

export type Effect = ProcessEffect | ProviderEffect | UnknownEffect;

export interface ProcessEffect {
  readonly kind: "process";
  readonly action: EffectAction;
  /** Absent if the process may be in any ecosystem file. */
  readonly ecosystem?: string;
  readonly appSuffixes: readonly string[];
}

export interface ProviderEffect {
  readonly kind: "provider";
  readonly action: EffectAction;
  readonly provider: string;
}

export interface UnknownEffect {
  readonly kind: "unknown";
  readonly field: string;
  readonly value: unknown;
}

export type EffectAction = "start" | "stop" | "touch";

export type Note =
  | { readonly kind: "reordered"; readonly section: "interfaces" | "deployments" }
  | { readonly kind: "migrated"; readonly name: string };

export interface DiffReport extends DeploymentsDiff {
  readonly file: string;
  readonly from: DiffSide;
  readonly to: DiffSide;
}

export interface DiffSide {
  readonly revision?: string;
  readonly commit?: string;
  /** A missing file counts as an empty document. */
  readonly exists: boolean;
  readonly valid: boolean;
  readonly issues: readonly Issue[];
}

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
