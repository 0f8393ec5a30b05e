/** The ways in which a rollout passes to another user or ends; the audit log of this machine records each. */
import type { FleetRollout } from "../../core/api/fleet-rollout.ts";
import { commandLineCaller, SvcmError, withAudit } from "../../core/index.ts";
import { endRollout, transferRollout } from "../../core/nodes/rollout.ts";
import { isRemaining, type NodePlan, type RolloutContext, type RolloutOf } from "./begin.ts";
import { replaceRollout, type RecordedRollout } from "./record.ts";

/**
 * The former holder may still be running: its next action is refused.
 * @param plans that the user has seen; a node that has not begun applies nothing else
 * @throws {SvcmError} APPLY_LOCKED if the record has changed or the rollout cannot continue, AUDIT_FAILED
 */
export async function takeOver(
  { fleet, ports }: RolloutContext,
  { rollout, revision }: RecordedRollout,
  direction: FleetRollout["direction"],
  plans: readonly NodePlan[] = [],
): Promise<RecordedRollout> {
  const halfDone = rollout.nodes.filter(({ state }) => state === "half").map(({ node }) => node);
  if (direction === "apply" && halfDone.length > 0)
    throw new SvcmError("APPLY_HALF", {
      code: "ROLLOUT_HALF",
      details: `The rollout cannot continue, because ${halfDone.join(", ")} is half done.`,
      hint: "Roll back every node: svcm rollout rollback",
    });
  const by = { holder: ports.host.randomId(), owner: fleet.user, takenFrom: rollout.owner, direction };
  const seen = new Map(plans.map(({ node, plan }) => [node, plan.id]));
  const nodes = rollout.nodes.map((one) => ({
    ...one,
    plan: isRemaining(one) ? (seen.get(one.node) ?? one.plan) : one.plan,
  }));
  const next = transferRollout({ ...rollout, nodes }, by);
  const action = direction === "apply" ? "rollout.resume" : "rollout.rollback";
  return recordEnd({ fleet, ports }, { action, rollout }, () =>
    replaceRollout(fleet, next, { revision, now: ports.clock.now() }),
  );
}

/**
 * Leaves every node as it is. Also ends a rollout that this version cannot read.
 * @throws {SvcmError} APPLY_LOCKED if the record has changed, FORBIDDEN, AUDIT_FAILED
 */
export async function unlockRollout(
  { fleet, ports }: RolloutContext,
  { environment, rollout, unreadable, revision }: RolloutOf,
): Promise<FleetRollout> {
  const now = ports.clock.now();
  const present: FleetRollout = rollout ?? {
    ...EMPTY_ROLLOUT,
    id: unreadable?.id ?? "",
    owner: unreadable?.owner ?? "",
    environment,
    choices: { environment },
    startedAt: new Date(now).toISOString(),
  };
  if (present.owner !== fleet.user && !fleet.isAdmin)
    throw new SvcmError("FORBIDDEN", {
      code: "RIGHT_MISSING",
      details: `The rollout is of ${present.owner}. Accepted: ${present.owner}, or an admin of ${environment}.`,
    });
  const ended = { ...endRollout(present, "unlocked"), owner: fleet.user, takenFrom: present.owner };
  return recordEnd(
    { fleet, ports },
    { action: "rollout.unlock", rollout: present },
    async () => (await replaceRollout(fleet, ended, { revision, now })).rollout,
  );
}

const EMPTY_ROLLOUT = {
  holder: null,
  direction: "apply",
  outcome: null,
  maxParallel: 1,
  steps: 0,
  nodes: [],
} as const satisfies Partial<FleetRollout>;

interface Ended {
  readonly action: string;
  readonly rollout: Pick<FleetRollout, "id" | "environment" | "owner">;
}

function recordEnd<T>(
  { fleet, ports }: RolloutContext,
  { action, rollout: { id, environment, owner } }: Ended,
  replace: () => Promise<T>,
): Promise<T> {
  const subject = { action, environment, target: `${id} of ${owner}, as ${fleet.user}` };
  return withAudit(ports, commandLineCaller(), subject, async ({ begin }) => {
    await begin();
    return replace();
  });
}
