/** The difference in meaning between two deployments documents. Values are those of the documents. */

export interface DeploymentsDiff {
  /** Empty if both documents mean the same. In the order of the new document; removed entries come last. */
  readonly changes: readonly Change[];
  /** Parts that are written differently but mean the same. */
  readonly notes: readonly Note[];
}

export interface Change {
  readonly section: ChangedSection;
  readonly kind: "added" | "removed" | "renamed" | "changed";
  /** The name of the deploy target or interface in the new document; in the old one if the entry was removed. */
  readonly name?: string;
  readonly previousName?: string;
  /** The members that differ; every member of an entry that was added or removed. */
  readonly fields: readonly FieldChange[];
  /** The processes and functions that the change touches. */
  readonly effects: readonly Effect[];
}

export type ChangedSection = "document" | "runtimeEnvironment" | "serviceConfiguration" | "interfaces" | "deployments";

/** A member that differs: `from` is absent if only the new document has it, `to` if only the old one has it. */
export interface FieldChange {
  /** For example `runtime`, or `ports.rest`. */
  readonly field: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

export type Effect = ProcessEffect | ProviderEffect | UnknownEffect;

/** PM2 processes: `start` and `stop` for an entry that is added or removed, `touch` for one that stays. */
export interface ProcessEffect {
  readonly kind: "process";
  readonly action: EffectAction;
  /** The ecosystem file that declares them; absent if any ecosystem file may declare them. */
  readonly ecosystem?: string;
  readonly appSuffixes: readonly string[];
}

/** Functions, which the provider runs without PM2. */
export interface ProviderEffect {
  readonly kind: "provider";
  readonly action: EffectAction;
  /** The label of the capability matrix, for example `AWS Lambda`. */
  readonly provider: string;
}

/** The capability matrix does not know the process or the place. */
export interface UnknownEffect {
  readonly kind: "unknown";
  readonly field: string;
  readonly value: unknown;
}

export type EffectAction = "start" | "stop" | "touch";

export type Note =
  | { readonly kind: "reordered"; readonly section: "interfaces" | "deployments" }
  /** A legacy entry rewritten in today's form, or the reverse. */
  | { readonly kind: "migrated"; readonly name: string };
