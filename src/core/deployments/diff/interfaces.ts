import { type Candidate, textField } from "../candidate.ts";
import type { Vocabulary } from "../vocabulary.ts";
import type { Change, DeploymentsDiff } from "./change.ts";
import { effectsOf, interfaceRuns } from "./effects.ts";
import { diffFields, fingerprint } from "./fields.ts";
import { isReordered, pairByMarks, type Pairing } from "./pair.ts";

export function diffInterfaces(
  from: readonly Candidate[],
  to: readonly Candidate[],
  vocabulary: Vocabulary,
): DeploymentsDiff {
  const pairing = pairInterfaces(from, to);
  const runs = (adapter: Candidate): ReturnType<typeof interfaceRuns> => interfaceRuns(adapter, vocabulary);
  const kept = pairing.pairs.map(({ from: old, to: young }) => ({
    index: young.index,
    change: change("changed", young.entry, diffFields(old.entry, young.entry), [runs(old.entry), runs(young.entry)]),
  }));
  const added = pairing.added.map(({ entry, index }) => ({
    index,
    change: change("added", entry, diffFields({}, entry), [[], runs(entry)]),
  }));
  const present = [...kept.filter((one) => one.change.fields.length > 0), ...added];
  return {
    changes: [
      ...present.toSorted((a, b) => a.index - b.index).map((one) => one.change),
      ...pairing.removed.map(({ entry }) => change("removed", entry, diffFields(entry, {}), [runs(entry), []])),
    ],
    notes: isReordered(pairing) ? [{ kind: "reordered", section: "interfaces" }] : [],
  };
}

export function pairInterfaces(from: readonly Candidate[], to: readonly Candidate[]): Pairing<Candidate> {
  return pairByMarks(from, to, [fingerprint, placeMark, controllerMark]);
}

function change(
  kind: Change["kind"],
  adapter: Candidate,
  fields: Change["fields"],
  [before, after]: readonly [ReturnType<typeof interfaceRuns>, ReturnType<typeof interfaceRuns>],
): Change {
  const parts = ["type", "entrypoint"].map((field) => textField(adapter, field)).filter((text) => text !== "");
  const name = parts.length > 0 ? { name: parts.join(" ") } : {};
  // The process that serves an adapter keeps running.
  const effects = effectsOf(before, after).map((effect) =>
    effect.kind === "process" ? { ...effect, action: "touch" as const } : effect,
  );
  return { section: "interfaces", kind, ...name, fields, effects };
}

function placeMark(adapter: Candidate): string | undefined {
  const [type, entrypoint] = [textField(adapter, "type"), textField(adapter, "entrypoint")];
  return entrypoint === "" ? undefined : fingerprint([type, entrypoint]);
}

function controllerMark(adapter: Candidate): string | undefined {
  return textField(adapter, "controller") || undefined;
}
