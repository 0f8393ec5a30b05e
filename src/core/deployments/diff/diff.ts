import { envSpellings } from "../../project/resolve.ts";
import { portNumber } from "../rules/targets.ts";
import { type Candidate, foldName, textField, type Vocabulary } from "../file.ts";
import { isRecord } from "../../words/record.ts";
import { DOCUMENT_VERSION, isLegacyTarget, migrateTarget } from "../shape.ts";
import {
  type Change,
  type Effect,
  type FieldChange,
  type DeploymentsDiff,
  changeKind,
  diffFields,
  fingerprint,
  type Note,
  configurationWorkloads,
  compareWorkloads,
  type Workload,
  targetWorkloads,
  addPairs,
  type Indexed,
  isReordered,
  type Pair,
  pairByKeys,
  type Pairing,
  pairingChanges,
  interfaceWorkloads,
} from "./change.ts";
import { controllerKey, entrypointKey } from "../rules/interfaces.ts";

/**
 * Comments, order and style do not matter. Legacy targets are migrated first.
 * @param from plain data, valid or not; an empty map if there is no old document
 */
export function diffDeployments(from: Candidate, to: Candidate, vocabulary: Vocabulary): DeploymentsDiff {
  const interfaces = diffInterfaces(listEntries(from, "interfaces"), listEntries(to, "interfaces"), vocabulary);
  const targets = diffTargets(listEntries(from, "deployments"), listEntries(to, "deployments"), vocabulary);
  return {
    changes: [
      ...diffDocument(from, to),
      ...diffEnvironment(from, to, vocabulary),
      ...diffConfiguration(from, to, vocabulary),
      ...interfaces.changes,
      ...targets.changes,
    ],
    notes: [...interfaces.notes, ...targets.notes],
  };
}

function diffDocument(from: Candidate, to: Candidate): Change[] {
  const fields = diffFields(documentHead(from), documentHead(to));
  return fields.length === 0 ? [] : [{ section: "document", kind: "changed", fields, effects: [] }];
}

function documentHead(document: Candidate): Candidate {
  const { runtimeEnvironment: _e, serviceConfiguration: _c, interfaces: _i, deployments: _d, ...head } = document;
  return { ...head, version: head["version"] ?? DOCUMENT_VERSION };
}

function diffEnvironment(from: Candidate, to: Candidate, vocabulary: Vocabulary): Change[] {
  const [before, after] = [from["runtimeEnvironment"] ?? undefined, to["runtimeEnvironment"] ?? undefined];
  const isSame = environmentName(before, vocabulary) === environmentName(after, vocabulary);
  if (isSame) return [];
  const fields = diffFields({ runtimeEnvironment: before }, { runtimeEnvironment: after });
  return [{ section: "runtimeEnvironment", kind: changeKind(before, after), fields, effects: [] }];
}

function environmentName(value: unknown, { contract }: Vocabulary): string {
  const name = typeof value === "string" ? envSpellings(contract).get(value.trim().toLowerCase()) : undefined;
  return name ?? fingerprint(value);
}

function diffConfiguration(from: Candidate, to: Candidate, vocabulary: Vocabulary): Change[] {
  const [old, next] = [from["serviceConfiguration"] ?? undefined, to["serviceConfiguration"] ?? undefined];
  const [before, after] = [flattenPorts(old), flattenPorts(next)];
  const fields = diffFields(before, after);
  if (fields.length === 0 && (old === undefined) === (next === undefined)) return [];
  const kind = changeKind(old, next);
  const effects = configurationEffects(before, after, fields, kind, vocabulary);
  return [{ section: "serviceConfiguration", kind, fields, effects }];
}

/** A changed port concerns only the processes that listen on it. */
function configurationEffects(
  before: Candidate,
  after: Candidate,
  fields: readonly FieldChange[],
  kind: Change["kind"],
  vocabulary: Vocabulary,
): Effect[] {
  const ports = fields.flatMap(({ field }) => (field.startsWith(PORT) ? [field.slice(PORT.length)] : []));
  const workloads = (configuration: Candidate): Workload[] =>
    ports.length < fields.length
      ? configurationWorkloads(configuration, vocabulary)
      : ports.flatMap((port) => configurationWorkloads(configuration, vocabulary, port));
  return compareWorkloads(kind === "added" ? [] : workloads(before), kind === "removed" ? [] : workloads(after));
}

const PORT = "ports.";

function flattenPorts(configuration: unknown): Candidate {
  if (!isRecord(configuration)) return configuration === undefined ? {} : { value: configuration };
  const { ports, ...rest } = configuration;
  if (!isRecord(ports)) return ports === undefined ? rest : { ...rest, ports };
  const flattened = Object.entries(ports).map(([name, value]) => {
    const port = portNumber(value);
    return [`${PORT}${name}`, Number.isNaN(port) ? value : port] as const;
  });
  return { ...rest, ...Object.fromEntries(flattened) };
}

function listEntries(document: Candidate, section: "interfaces" | "deployments"): Candidate[] {
  const list = document[section];
  if (Array.isArray(list)) return list.map((entry: unknown) => (isRecord(entry) ? entry : { value: entry }));
  return list === undefined || list === null ? [] : [{ value: list }];
}

/** Above this, svcm detects only renames without any other change. */
const MAX_COMPARISONS = 250_000;

const LOCATION_FIELDS = ["deployTarget", "pm2Profile"];
const NAME = "name";
const MIN_SIMILARITY = 0.75;

function contentKey(target: Candidate): string {
  return fingerprint({ ...target, [NAME]: undefined });
}

/** A rename is in the same place, and three quarters of its other members are equal. The most similar pairs win. */
function findRenames({ removed, added }: Pairing<Candidate>): Pair<Candidate>[] {
  if (removed.length * added.length > MAX_COMPARISONS) return [];
  const [olds, news] = [removed.map(fingerprintFields), added.map(fingerprintFields)];
  const candidates = olds
    .flatMap((old) =>
      news.map((next) => ({
        from: old.indexed,
        to: next.indexed,
        similarity: compareFields(old.fingerprints, next.fingerprints),
      })),
    )
    .filter((pair) => pair.similarity >= MIN_SIMILARITY)
    // Stable: among equals, the pair with the earlier entry wins.
    .toSorted((a, b) => b.similarity - a.similarity);
  const taken = new Set<Indexed<Candidate>>();
  const pairs: Pair<Candidate>[] = [];
  for (const { from, to } of candidates) {
    if (taken.has(from) || taken.has(to)) continue;
    taken.add(from).add(to);
    pairs.push({ from, to });
  }
  return pairs;
}

type Fingerprints = ReadonlyMap<string, string>;

function fingerprintFields(indexed: Indexed<Candidate>): {
  readonly indexed: Indexed<Candidate>;
  readonly fingerprints: Fingerprints;
} {
  return {
    indexed,
    fingerprints: new Map(Object.entries(indexed.entry).map(([field, value]) => [field, fingerprint(value)])),
  };
}

function compareFields(from: Fingerprints, to: Fingerprints): number {
  const isSame = (field: string): boolean => from.get(field) === to.get(field);
  if (!LOCATION_FIELDS.every(isSame)) return 0;
  const fields = [...new Set([...from.keys(), ...to.keys()])].filter(
    (field) => field !== NAME && !LOCATION_FIELDS.includes(field),
  );
  return fields.length === 0 ? 0 : fields.filter(isSame).length / fields.length;
}

function diffTargets(from: readonly Candidate[], to: readonly Candidate[], vocabulary: Vocabulary): DeploymentsDiff {
  const migrated = (target: Candidate): Candidate => migrateTarget(target, vocabulary);
  const pairing = pairTargets(from.map(migrated), to.map(migrated));
  return {
    changes: pairingChanges(pairing, (before, after) => targetChange(before, after, vocabulary)),
    notes: pairingNotes(pairing, from, to),
  };
}

/** The targets must be in the current form. */
export function pairTargets(from: readonly Candidate[], to: readonly Candidate[]): Pairing<Candidate> {
  const certain = pairByKeys(from, to, [fingerprint, nameKey, foldedNameKey, contentKey]);
  return addPairs(certain, findRenames(certain));
}

function targetChange(
  before: Candidate | undefined,
  after: Candidate | undefined,
  vocabulary: Vocabulary,
): Change | undefined {
  const kind = isRenamed(before, after) ? "renamed" : changeKind(before, after);
  const fields = diffFields(before, after).filter(({ field }) => field !== "name");
  if (kind === "changed" && fields.length === 0) return undefined;
  const workloads = (target: Candidate | undefined): Workload[] => (target ? targetWorkloads(target, vocabulary) : []);
  return {
    section: "deployments",
    kind,
    name: nameOf(after ?? before),
    ...(kind === "renamed" && { previousName: nameOf(before) }),
    fields,
    // A rename alone has no effect, because PM2 uses the app names in the ecosystem file.
    effects: kind === "renamed" && fields.length === 0 ? [] : compareWorkloads(workloads(before), workloads(after)),
  };
}

function isRenamed(before: Candidate | undefined, after: Candidate | undefined): boolean {
  return before !== undefined && after !== undefined && fingerprint(before["name"]) !== fingerprint(after["name"]);
}

function nameOf(target: Candidate | undefined): string {
  const name = target?.["name"];
  return typeof name === "string" ? name : name === undefined ? "" : fingerprint(name);
}

function nameKey(target: Candidate): string | undefined {
  return textField(target, "name") || undefined;
}

function foldedNameKey(target: Candidate): string | undefined {
  const name = nameKey(target);
  return name === undefined ? undefined : foldName(name);
}

function pairingNotes(
  { pairs, ...rest }: Pairing<Candidate>,
  from: readonly Candidate[],
  to: readonly Candidate[],
): Note[] {
  const isRewritten = ({ from: old, to: next }: Pair<Candidate>): boolean =>
    isLegacyTarget(from[old.index] ?? {}) !== isLegacyTarget(to[next.index] ?? {});
  const migrated = pairs.filter(isRewritten).map(({ to: { entry } }) => nameOf(entry));
  return [
    ...(isReordered({ pairs, ...rest }) ? [{ kind: "reordered", section: "deployments" } as const] : []),
    ...migrated.map((name) => ({ kind: "migrated", name }) as const),
  ];
}

function diffInterfaces(from: readonly Candidate[], to: readonly Candidate[], vocabulary: Vocabulary): DeploymentsDiff {
  const pairing = pairInterfaces(from, to);
  return {
    changes: pairingChanges(pairing, (before, after) => interfaceChange(before, after, vocabulary)),
    notes: isReordered(pairing) ? [{ kind: "reordered", section: "interfaces" }] : [],
  };
}

export function pairInterfaces(from: readonly Candidate[], to: readonly Candidate[]): Pairing<Candidate> {
  return pairByKeys(from, to, [fingerprint, entrypointKey, controllerKey]);
}

function interfaceChange(
  before: Candidate | undefined,
  after: Candidate | undefined,
  vocabulary: Vocabulary,
): Change | undefined {
  const kind = changeKind(before, after);
  const fields = diffFields(before, after);
  if (kind === "changed" && fields.length === 0) return undefined;
  const adapter = after ?? before ?? {};
  const parts = ["type", "entrypoint"].map((field) => textField(adapter, field)).filter((text) => text !== "");
  const name = parts.length > 0 ? { name: parts.join(" ") } : {};
  const workloads = (entry: Candidate | undefined): Workload[] => (entry ? interfaceWorkloads(entry, vocabulary) : []);
  // The process that serves an adapter keeps running.
  const effects = compareWorkloads(workloads(before), workloads(after)).map((effect) =>
    effect.kind === "process" ? { ...effect, action: "touch" as const } : effect,
  );
  return { section: "interfaces", kind, ...name, fields, effects };
}
