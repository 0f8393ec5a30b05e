/** What a difference between two deployments documents means. Values are as the documents hold them. */

export interface DeploymentsDiff {
  /** Empty where both documents mean the same. In the order of the new document; what was removed stands last. */
  readonly changes: readonly Change[];
  /** What was written differently and means the same. */
  readonly notes: readonly Note[];
}

export interface Change {
  readonly section: ChangedSection;
  readonly kind: "added" | "removed" | "renamed" | "changed";
  /** Of the deploy target or interface, as the new document says it (the old one for a removed entry); absent elsewhere. */
  readonly name?: string;
  /** Of a renamed deploy target. */
  readonly previousName?: string;
  /** What differs, member by member: everything that the entry holds where it was added or removed. */
  readonly fields: readonly FieldChange[];
  /** What runs elsewhere, otherwise or no longer. Empty where nothing that runs is touched. */
  readonly effects: readonly Effect[];
}

export type ChangedSection = "document" | "runtimeEnvironment" | "serviceConfiguration" | "interfaces" | "deployments";

/** A member that differs: `from` is absent where the old document lacks it, `to` where the new one does. */
export interface FieldChange {
  /** For example `runtime`, or `ports.rest`. */
  readonly field: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

/** What a change touches, as the capability matrix says. */
export type Effect = ProcessEffect | ProviderEffect | UnknownEffect;

/** PM2 processes. `start` and `stop` are of an entry that comes or goes, `touch` of one that stays. */
export interface ProcessEffect {
  readonly kind: "process";
  readonly action: EffectAction;
  /** The ecosystem file that declares them; absent where every ecosystem file may. */
  readonly ecosystem?: string;
  /** The endings of the PM2 app names. */
  readonly appSuffixes: readonly string[];
}

/** Functions: no PM2 process, the provider runs them. */
export interface ProviderEffect {
  readonly kind: "provider";
  readonly action: EffectAction;
  /** As the capability matrix labels it, for example `AWS Lambda`. */
  readonly provider: string;
}

/** The capability matrix does not know where, or what, the entry runs. */
export interface UnknownEffect {
  readonly kind: "unknown";
  readonly field: string;
  readonly value: unknown;
}

export type EffectAction = "start" | "stop" | "touch";

export type Note =
  | { readonly kind: "reordered"; readonly section: "interfaces" | "deployments" }
  /** A legacy entry that is written in today's form, or the other way round. */
  | { readonly kind: "migrated"; readonly name: string };
