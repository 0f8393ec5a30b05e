import { type Issue, compareText } from "../../api/issue.ts";
import { type Candidate, lookup, targetGroup, type Vocabulary } from "../file.ts";
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

export interface Pairing<T> {
  readonly pairs: readonly Pair<T>[];
  readonly removed: readonly Indexed<T>[];
  readonly added: readonly Indexed<T>[];
}

export interface Pair<T> {
  readonly from: Indexed<T>;
  readonly to: Indexed<T>;
}

export interface Indexed<T> {
  readonly entry: T;
  readonly index: number;
}

export type KeyOf<T> = (entry: T) => string | undefined;

/** The most certain keys first. Entries with the same key are paired in their order, so the result is symmetric. */
export function pairByKeys<T>(from: readonly T[], to: readonly T[], keys: readonly KeyOf<T>[]): Pairing<T> {
  let pairing: Pairing<T> = { pairs: [], removed: from.map(toIndexed), added: to.map(toIndexed) };
  for (const keyOf of keys) {
    const found = findPairs(pairing.removed, pairing.added, keyOf);
    pairing = addPairs(pairing, found);
  }
  return pairing;
}

export function addPairs<T>({ pairs, removed, added }: Pairing<T>, found: readonly Pair<T>[]): Pairing<T> {
  const [olds, news] = [new Set(found.map(({ from }) => from)), new Set(found.map(({ to }) => to))];
  return {
    pairs: [...pairs, ...found],
    removed: removed.filter((entry) => !olds.has(entry)),
    added: added.filter((entry) => !news.has(entry)),
  };
}

/** In the new order; removed entries come last. An equal pair has no change. */
export function pairingChanges<T, Result>(
  { pairs, removed, added }: Pairing<T>,
  toChange: (before: T | undefined, after: T | undefined) => Result | undefined,
): Result[] {
  const present = [...pairs, ...added.map((to) => ({ from: undefined, to }))];
  return [
    ...present.toSorted((a, b) => a.to.index - b.to.index).map(({ from, to }) => toChange(from?.entry, to.entry)),
    ...removed.map(({ entry }) => toChange(entry, undefined)),
  ].filter((change) => change !== undefined);
}

export function isReordered<T>({ pairs }: Pairing<T>): boolean {
  const olds = pairs.toSorted((a, b) => a.to.index - b.to.index).map(({ from }) => from.index);
  return olds.some((index, position) => position > 0 && index < (olds[position - 1] ?? 0));
}

function findPairs<T>(removed: readonly Indexed<T>[], added: readonly Indexed<T>[], keyOf: KeyOf<T>): Pair<T>[] {
  const waiting = new Map<string, Indexed<T>[]>();
  for (const old of removed) {
    const key = keyOf(old.entry);
    if (key === undefined) continue;
    const list = waiting.get(key);
    if (list) list.push(old);
    else waiting.set(key, [old]);
  }
  // `pop` is fast even for a long list of equal keys.
  for (const list of waiting.values()) list.reverse();
  return added.flatMap((to) => {
    const key = keyOf(to.entry);
    const old = key === undefined ? undefined : waiting.get(key)?.pop();
    return old ? [{ from: old, to }] : [];
  });
}

function toIndexed<T>(entry: T, index: number): Indexed<T> {
  return { entry, index };
}

export type Workload =
  | { readonly kind: "process"; readonly ecosystem?: string; readonly appSuffix: string }
  | { readonly kind: "provider"; readonly provider: string }
  | { readonly kind: "unknown"; readonly field: string; readonly value: unknown };

export function targetWorkloads(target: Candidate, vocabulary: Vocabulary): Workload[] {
  const { matrix } = vocabulary;
  const { deployTarget, serviceType, pm2Profile } = target;
  const group = targetGroup(vocabulary, deployTarget);
  if (!group) return [{ kind: "unknown", field: "deployTarget", value: deployTarget }];
  if (!group.pm2Managed) {
    return [{ kind: "provider", provider: lookup(matrix.deployTargets, deployTarget)?.label ?? "" }];
  }
  const kind = lookup(matrix.serviceKinds, lookup(matrix.serviceTypes, serviceType)?.serviceKind);
  if (!kind) return [{ kind: "unknown", field: "serviceType", value: serviceType }];
  if (typeof pm2Profile !== "string" || !matrix.pm2Profiles.includes(pm2Profile)) {
    return [{ kind: "unknown", field: "pm2Profile", value: pm2Profile }];
  }
  const ecosystem = `ecosystem.${pm2Profile}.config.cjs`;
  return kind.appSuffixes.map((appSuffix) => ({ kind: "process", ecosystem, appSuffix }));
}

/** The cloud provider workload a run mode that is also a group of deploy targets without PM2. */
export function configurationWorkloads(configuration: Candidate, { matrix }: Vocabulary, port?: string): Workload[] {
  const { serviceKind, runMode, cloudProvider } = configuration;
  if (lookup(matrix.deployTargetGroups, runMode)?.pm2Managed === false) {
    const provider = lookup(matrix.cloudProviders, cloudProvider)?.label;
    return provider === undefined
      ? [{ kind: "unknown", field: "cloudProvider", value: cloudProvider }]
      : [{ kind: "provider", provider }];
  }
  const kind = lookup(matrix.serviceKinds, serviceKind);
  if (!kind) return [{ kind: "unknown", field: "serviceKind", value: serviceKind }];
  if (port === undefined) return kind.appSuffixes.map((appSuffix) => ({ kind: "process", appSuffix }));
  const suffixes = kind.ports.some((name) => name === port) ? portSuffixes(port, matrix) : [];
  return suffixes.map((appSuffix) => ({ kind: "process", appSuffix }));
}

export function interfaceWorkloads({ type }: Candidate, { matrix }: Vocabulary): Workload[] {
  const port = lookup(matrix.interfaceTypes, type)?.port;
  if (port === undefined) return [{ kind: "unknown", field: "type", value: type }];
  return portSuffixes(port, matrix).map((appSuffix) => ({ kind: "process", appSuffix }));
}

function portSuffixes(port: string, { serviceKinds }: Vocabulary["matrix"]): string[] {
  const binds = ({ ports }: { ports: readonly string[] }): boolean => ports.includes(port);
  const kinds = Object.values(serviceKinds);
  const elsewhere = new Set(kinds.filter((kind) => !binds(kind)).flatMap(({ appSuffixes }) => appSuffixes));
  const [first, ...others] = kinds.filter(binds);
  return (first?.appSuffixes ?? []).filter(
    (suffix) => !elsewhere.has(suffix) && others.every(({ appSuffixes }) => appSuffixes.includes(suffix)),
  );
}

export function compareWorkloads(before: readonly Workload[], after: readonly Workload[]): Effect[] {
  const [old, current] = [indexWorkloads(before), indexWorkloads(after)];
  const grouped = new Map<string, Effect>();
  for (const [key, workload] of new Map([...old, ...current])) {
    const action = !old.has(key) ? "start" : current.has(key) ? "touch" : "stop";
    const group = JSON.stringify([action, workload.kind, workload.kind === "process" ? workload.ecosystem : key]);
    grouped.set(group, mergeEffect(grouped.get(group), workload, action));
  }
  return [...grouped.values()];
}

function indexWorkloads(list: readonly Workload[]): Map<string, Workload> {
  return new Map(list.map((workload) => [JSON.stringify(workload), workload]));
}

function mergeEffect(existing: Effect | undefined, workload: Workload, action: EffectAction): Effect {
  if (workload.kind === "unknown") return workload;
  if (workload.kind === "provider") return { ...workload, action };
  const { appSuffix, ...process } = workload;
  const before = existing?.kind === "process" ? existing.appSuffixes : [];
  return { ...process, action, appSuffixes: [...before, appSuffix] };
}
