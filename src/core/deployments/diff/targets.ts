import { isLegacyTarget, migrateTarget } from "../migrate.ts";
import { foldName, type Candidate, textField } from "../candidate.ts";
import type { Vocabulary } from "../vocabulary.ts";
import type { Change, Note, DeploymentsDiff } from "./change.ts";
import { compareWorkloads, targetWorkloads, type Workload } from "./effects.ts";
import { diffFields, fingerprint } from "./fields.ts";
import { isReordered, type Pair, pairByKeys, type Pairing, addPairs } from "./pair.ts";
import { contentKey, findRenames } from "./rename.ts";

export function diffTargets(
  from: readonly Candidate[],
  to: readonly Candidate[],
  vocabulary: Vocabulary,
): DeploymentsDiff {
  const migrated = (target: Candidate): Candidate => migrateTarget(target, vocabulary);
  const pairing = pairTargets(from.map(migrated), to.map(migrated));
  return { changes: pairingChanges(pairing, vocabulary), notes: pairingNotes(pairing, from, to) };
}

/** The targets must be in the current form. */
export function pairTargets(from: readonly Candidate[], to: readonly Candidate[]): Pairing<Candidate> {
  const certain = pairByKeys(from, to, [fingerprint, nameKey, foldedNameKey, contentKey]);
  return addPairs(certain, findRenames(certain));
}

function pairingChanges(pairing: Pairing<Candidate>, vocabulary: Vocabulary): Change[] {
  const workloads = (target: Candidate): Workload[] => targetWorkloads(target, vocabulary);
  const paired = pairing.pairs
    .map((pair) => ({ index: pair.to.index, change: pairChange(pair, vocabulary) }))
    .filter(({ change }) => change.kind === "renamed" || change.fields.length > 0);
  const added = pairing.added.map(({ entry, index }) => ({
    index,
    change: {
      ...headOf("added", entry),
      fields: contentChanges({}, entry),
      effects: compareWorkloads([], workloads(entry)),
    },
  }));
  return [
    ...[...paired, ...added].toSorted((a, b) => a.index - b.index).map(({ change }) => change),
    ...pairing.removed.map(({ entry }) => ({
      ...headOf("removed", entry),
      fields: contentChanges(entry, {}),
      effects: compareWorkloads(workloads(entry), []),
    })),
  ];
}

function pairChange({ from, to }: Pair<Candidate>, vocabulary: Vocabulary): Change {
  const fields = contentChanges(from.entry, to.entry);
  const isRenamed = fingerprint(from.entry["name"]) !== fingerprint(to.entry["name"]);
  return {
    ...headOf(isRenamed ? "renamed" : "changed", to.entry),
    ...(isRenamed && { previousName: nameOf(from.entry) }),
    fields,
    // PM2 uses the app names in the ecosystem file.
    effects:
      fields.length === 0
        ? []
        : compareWorkloads(targetWorkloads(from.entry, vocabulary), targetWorkloads(to.entry, vocabulary)),
  };
}

function headOf(kind: Change["kind"], target: Candidate): Pick<Change, "section" | "kind" | "name"> {
  return { section: "deployments", kind, name: nameOf(target) };
}

function contentChanges(from: Candidate, to: Candidate): Change["fields"] {
  return diffFields(from, to).filter(({ field }) => field !== "name");
}

function nameOf(target: Candidate): string {
  const { name } = target;
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
