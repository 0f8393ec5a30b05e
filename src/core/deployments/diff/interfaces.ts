import { type Candidate, textField } from "../candidate.ts";
import type { Vocabulary } from "../vocabulary.ts";
import type { Change, DeploymentsDiff } from "./change.ts";
import { compareWorkloads, interfaceWorkloads, type Workload } from "./effects.ts";
import { diffFields, fingerprint } from "./fields.ts";
import { isReordered, pairByKeys, type Pairing } from "./pair.ts";

export function diffInterfaces(
  from: readonly Candidate[],
  to: readonly Candidate[],
  vocabulary: Vocabulary,
): DeploymentsDiff {
  const pairing = pairInterfaces(from, to);
  const workloads = (adapter: Candidate): Workload[] => interfaceWorkloads(adapter, vocabulary);
  const paired = pairing.pairs.map(({ from: old, to: next }) => ({
    index: next.index,
    change: createChange("changed", next.entry, diffFields(old.entry, next.entry), [
      workloads(old.entry),
      workloads(next.entry),
    ]),
  }));
  const added = pairing.added.map(({ entry, index }) => ({
    index,
    change: createChange("added", entry, diffFields({}, entry), [[], workloads(entry)]),
  }));
  const present = [...paired.filter((one) => one.change.fields.length > 0), ...added];
  return {
    changes: [
      ...present.toSorted((a, b) => a.index - b.index).map((one) => one.change),
      ...pairing.removed.map(({ entry }) =>
        createChange("removed", entry, diffFields(entry, {}), [workloads(entry), []]),
      ),
    ],
    notes: isReordered(pairing) ? [{ kind: "reordered", section: "interfaces" }] : [],
  };
}

export function pairInterfaces(from: readonly Candidate[], to: readonly Candidate[]): Pairing<Candidate> {
  return pairByKeys(from, to, [fingerprint, entrypointKey, controllerKey]);
}

function createChange(
  kind: Change["kind"],
  adapter: Candidate,
  fields: Change["fields"],
  [before, after]: readonly [readonly Workload[], readonly Workload[]],
): Change {
  const parts = ["type", "entrypoint"].map((field) => textField(adapter, field)).filter((text) => text !== "");
  const name = parts.length > 0 ? { name: parts.join(" ") } : {};
  // The process that serves an adapter keeps running.
  const effects = compareWorkloads(before, after).map((effect) =>
    effect.kind === "process" ? { ...effect, action: "touch" as const } : effect,
  );
  return { section: "interfaces", kind, ...name, fields, effects };
}

function entrypointKey(adapter: Candidate): string | undefined {
  const [type, entrypoint] = [textField(adapter, "type"), textField(adapter, "entrypoint")];
  return entrypoint === "" ? undefined : fingerprint([type, entrypoint]);
}

function controllerKey(adapter: Candidate): string | undefined {
  return textField(adapter, "controller") || undefined;
}
