import type { Issue } from "../../api/issue.ts";
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
