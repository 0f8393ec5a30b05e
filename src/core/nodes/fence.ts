import type { FleetRollout } from "../api/fleet-rollout.ts";

export interface Fence {
  /** The record of this environment contains the step. */
  readonly environment: string;
  readonly rollout: string;
  readonly step: number;
  readonly holder: string;
  /** The revision of the record that contains the step. */
  readonly revision: number;
}

interface FencedRequest extends Fence {
  readonly node: string;
  readonly user: string;
  readonly operation: string;
}

/** `undefined` if the record contains exactly this step. */
export function staleReason(
  entry: { readonly rollout: FleetRollout; readonly revision: number } | undefined,
  { rollout: id, step, holder, revision, node, user, operation }: FencedRequest,
): string | undefined {
  if (entry === undefined) return "The NATS server has no record of a rollout.";
  const { rollout } = entry;
  if (rollout.id !== id) return `Another rollout is current: ${rollout.id}.`;
  if (rollout.outcome !== null) return `The rollout has ended: ${rollout.outcome}.`;
  if (rollout.holder !== holder || rollout.owner !== user) return `${rollout.owner} has taken over the rollout.`;
  const expectedState = operation === "rollout.rollback" ? "returning" : "applying";
  const own = rollout.nodes.find((one) => one.node === node);
  if (entry.revision < revision || own?.state !== expectedState || own.step !== step)
    return `Step ${step} of the rollout is not the current one of ${node}.`;
  return undefined;
}
