import { isLegacyTarget, migrateTarget } from "../migrate.ts";
import { foldName, type Candidate, textField } from "../candidate.ts";
import type { Vocabulary } from "../vocabulary.ts";
import type { Change, Note, DeploymentsDiff } from "./change.ts";
import { compareWorkloads, targetWorkloads, type Workload } from "./effects.ts";
import { changeKind, diffFields, fingerprint } from "./fields.ts";
import { isReordered, type Pair, pairByKeys, type Pairing, pairingChanges, addPairs } from "./pair.ts";
import { contentKey, findRenames } from "./rename.ts";

export function diffTargets(
  from: readonly Candidate[],
  to: readonly Candidate[],
  vocabulary: Vocabulary,
): DeploymentsDiff {
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
