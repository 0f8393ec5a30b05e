import { isLegacyTarget, migrateTarget } from "../migrate.ts";
import { foldName } from "../name.ts";
import { type Candidate, textField } from "../candidate.ts";
import type { Vocabulary } from "../vocabulary.ts";
import type { Change, Note, DeploymentsDiff } from "./change.ts";
import { effectsOf, targetRuns } from "./effects.ts";
import { diffFields, fingerprint } from "./fields.ts";
import { isReordered, type Pair, pairByMarks, type Pairing, withPairs } from "./pair.ts";
import { contentMark, findRenames } from "./rename.ts";

export function diffTargets(
  from: readonly Candidate[],
  to: readonly Candidate[],
  vocabulary: Vocabulary,
): DeploymentsDiff {
  const migrated = (target: Candidate): Candidate => migrateTarget(target, vocabulary);
  const pairing = pairTargets(from.map(migrated), to.map(migrated));
  return { changes: changesOf(pairing, vocabulary), notes: notesOf(pairing, from, to) };
}

/** The targets must be in the current form. */
export function pairTargets(from: readonly Candidate[], to: readonly Candidate[]): Pairing<Candidate> {
  const sure = pairByMarks(from, to, [fingerprint, nameMark, nameInAnyCase, contentMark]);
  return withPairs(sure, findRenames(sure));
}

function changesOf(pairing: Pairing<Candidate>, vocabulary: Vocabulary): Change[] {
  const runs = (target: Candidate): ReturnType<typeof targetRuns> => targetRuns(target, vocabulary);
  const kept = pairing.pairs
    .map((pair) => ({ index: pair.to.index, change: keptChange(pair, vocabulary) }))
    .filter(({ change }) => change.kind === "renamed" || change.fields.length > 0);
  const added = pairing.added.map(({ entry, index }) => ({
    index,
    change: { ...headOf("added", entry), fields: contentOf({}, entry), effects: effectsOf([], runs(entry)) },
  }));
  return [
    ...[...kept, ...added].toSorted((a, b) => a.index - b.index).map(({ change }) => change),
    ...pairing.removed.map(({ entry }) => ({
      ...headOf("removed", entry),
      fields: contentOf(entry, {}),
      effects: effectsOf(runs(entry), []),
    })),
  ];
}

function keptChange({ from, to }: Pair<Candidate>, vocabulary: Vocabulary): Change {
  const fields = contentOf(from.entry, to.entry);
  const isRenamed = fingerprint(from.entry["name"]) !== fingerprint(to.entry["name"]);
  return {
    ...headOf(isRenamed ? "renamed" : "changed", to.entry),
    ...(isRenamed && { previousName: nameOf(from.entry) }),
    fields,
    // PM2 uses the app names in the ecosystem file.
    effects: fields.length === 0 ? [] : effectsOf(targetRuns(from.entry, vocabulary), targetRuns(to.entry, vocabulary)),
  };
}

function headOf(kind: Change["kind"], target: Candidate): Pick<Change, "section" | "kind" | "name"> {
  return { section: "deployments", kind, name: nameOf(target) };
}

function contentOf(from: Candidate, to: Candidate): Change["fields"] {
  return diffFields(from, to).filter(({ field }) => field !== "name");
}

function nameOf(target: Candidate): string {
  const { name } = target;
  return typeof name === "string" ? name : name === undefined ? "" : fingerprint(name);
}

function nameMark(target: Candidate): string | undefined {
  return textField(target, "name") || undefined;
}

function nameInAnyCase(target: Candidate): string | undefined {
  const name = nameMark(target);
  return name === undefined ? undefined : foldName(name);
}

function notesOf({ pairs, ...rest }: Pairing<Candidate>, from: readonly Candidate[], to: readonly Candidate[]): Note[] {
  const isRewritten = ({ from: old, to: young }: Pair<Candidate>): boolean =>
    isLegacyTarget(from[old.index] ?? {}) !== isLegacyTarget(to[young.index] ?? {});
  const migrated = pairs.filter(isRewritten).map(({ to: { entry } }) => nameOf(entry));
  return [
    ...(isReordered({ pairs, ...rest }) ? [{ kind: "reordered", section: "deployments" } as const] : []),
    ...migrated.map((name) => ({ kind: "migrated", name }) as const),
  ];
}
