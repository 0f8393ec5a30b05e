import { type Candidate, textField } from "../candidate.ts";
import { controllerKey, entrypointKey } from "../rules/interfaces.ts";
import type { Vocabulary } from "../vocabulary.ts";
import type { Change, DeploymentsDiff } from "./change.ts";
import { compareWorkloads, interfaceWorkloads, type Workload } from "./effects.ts";
import { changeKind, diffFields, fingerprint } from "./fields.ts";
import { isReordered, pairByKeys, type Pairing, pairingChanges } from "./pair.ts";

export function diffInterfaces(
  from: readonly Candidate[],
  to: readonly Candidate[],
  vocabulary: Vocabulary,
): DeploymentsDiff {
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
