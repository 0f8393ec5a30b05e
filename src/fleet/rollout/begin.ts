import type { FleetRollout } from "../../core/api/fleet-rollout.ts";
import { refusePlan, rolloutPlan, SvcmError, type Ports } from "../../core/index.ts";
import type { InputOf } from "../../core/api/inputs.ts";
import type { Plan } from "../../core/api/rollout.ts";
import { endRollout, transferRollout } from "../../core/nodes/rollout.ts";
import type { Fleet, KnownNode } from "../fleet.ts";
import { findAnswerState, type AnswerState } from "../nodes.ts";
import { lockedError, readRollout, replaceRollout, type RecordedRollout } from "./record.ts";

export interface NodePlan {
  readonly node: string;
  readonly plan: Plan;
}

export interface Choices {
  readonly apply: InputOf<"rollout.apply">;
  readonly maxParallel: number;
}

interface RolloutContext {
  readonly fleet: Fleet;
  readonly ports: Ports;
}

/**
 * Every node needs a plan that can be applied.
 * @throws {SvcmError} APPLY_LOCKED, FLEET_FAILED, WORKTREE_DIRTY, PROCESS_ACTION_REFUSED, ECOSYSTEM_FILE_FAILED
 */
export async function planNodes(
  { fleet, ports }: RolloutContext,
  { nodes, apply, deadlineMs, version }: PlanRequest,
): Promise<NodePlan[]> {
  await readFinished(fleet, ports.clock.now());
  const { environment, service, apps, prune, preflight, restart, allowDirty } = apply;
  const place = { environment, service, apps, prune, preflight, restart };
  const answers = await Promise.all(
    nodes.map(async ({ name: node, presence }): Promise<NodePlan | RefusedPlan> => {
      try {
        const plan = await fleet.ask(node, rolloutPlan, place, deadlineMs);
        refusePlan(plan, { allowDirty });
        if (plan.exists) return { node, plan };
        throw new SvcmError("ECOSYSTEM_FILE_FAILED", { details: `svcm looked for ${plan.path}.` });
      } catch (error) {
        if (!(error instanceof SvcmError)) throw error;
        return { node, state: findAnswerState(error, presence, version), error };
      }
    }),
  );
  const refused = answers.flatMap((one) => ("error" in one ? [one] : []));
  if (refused.length === 0) return answers.flatMap((one) => ("plan" in one ? [one] : []));
  throw cannotApplyError(refused, nodes.length);
}

interface RefusedPlan {
  readonly node: string;
  readonly state: AnswerState;
  readonly error: SvcmError;
}

function cannotApplyError(refused: readonly RefusedPlan[], count: number): SvcmError {
  const reasons = refused.map(({ node, state, error }) => `${node} (${state}): ${error.message}`);
  const { kind, body: { code } = {} } = refused[0]?.error ?? {};
  return new SvcmError(kind ?? "FLEET_FAILED", {
    ...(code !== undefined && { code }),
    details: `No node was changed, because ${refused.length} of ${count} cannot apply. ${reasons.join(" ")}`,
    hint: "See each of them: svcm plan --node <node>",
  });
}

interface PlanRequest {
  readonly nodes: readonly KnownNode[];
  readonly apply: Choices["apply"];
  readonly deadlineMs: number;
  readonly version: string;
}

/** Takes the lock. @throws {SvcmError} APPLY_LOCKED, FORBIDDEN, FLEET_FAILED */
export async function beginRollout(
  { fleet, ports }: RolloutContext,
  plans: readonly NodePlan[],
  choices: Choices,
): Promise<RecordedRollout> {
  const { apply, maxParallel } = choices;
  const now = ports.clock.now();
  const finished = await readFinished(fleet, now);
  const startedAt = new Date(now).toISOString();
  const rollout: FleetRollout = {
    id: `${startedAt.slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-")}-${ports.host.randomId().slice(0, 8)}`,
    environment: plans[0]?.plan.environment ?? "",
    owner: fleet.user,
    holder: ports.host.randomId(),
    ...(apply.message !== undefined && { message: apply.message }),
    startedAt,
    direction: "apply",
    outcome: null,
    maxParallel,
    choices: apply,
    steps: 0,
    nodes: plans.map(({ node, plan }) => ({ node, plan: plan.id, state: plan.changed ? "waiting" : "unchanged" })),
  };
  return replaceRollout(fleet, rollout, { revision: finished?.revision ?? 0, now });
}

/** @throws {SvcmError} APPLY_LOCKED if a rollout holds the lock */
async function readFinished(fleet: Fleet, now: number): Promise<RecordedRollout | undefined> {
  const latest = await readRollout(fleet);
  if (latest?.rollout.outcome === null) throw lockedError(latest.rollout, now);
  return latest;
}

/** @throws {SvcmError} INVALID_REQUEST with ROLLOUT_NOT_FOUND */
export async function requireOpenRollout(fleet: Fleet): Promise<RecordedRollout> {
  const current = await readRollout(fleet);
  if (current?.rollout.outcome === null) return current;
  throw new SvcmError("INVALID_REQUEST", {
    code: "ROLLOUT_NOT_FOUND",
    details: "No rollout holds the lock, so there is nothing to resume, to roll back or to unlock.",
    hint: "See the last rollout: svcm rollout status",
  });
}

/**
 * The former holder may still be running: its next action is refused.
 * @throws {SvcmError} APPLY_LOCKED if the record has changed or the rollout cannot continue
 */
export async function takeOver(
  { fleet, ports }: RolloutContext,
  { rollout, revision }: RecordedRollout,
  direction: FleetRollout["direction"],
): Promise<RecordedRollout> {
  const halfDone = rollout.nodes.filter(({ state }) => state === "half").map(({ node }) => node);
  if (direction === "apply" && halfDone.length > 0)
    throw new SvcmError("APPLY_HALF", {
      code: "ROLLOUT_HALF",
      details: `The rollout cannot continue, because ${halfDone.join(", ")} is half done.`,
      hint: "Roll back every node: svcm rollout rollback",
    });
  const by = { holder: ports.host.randomId(), owner: fleet.user, direction };
  return replaceRollout(fleet, transferRollout(rollout, by), { revision, now: ports.clock.now() });
}

/** Leaves every node as it is. @throws {SvcmError} APPLY_LOCKED if the record has changed */
export async function unlockRollout(
  { fleet, ports }: RolloutContext,
  { rollout, revision }: RecordedRollout,
): Promise<FleetRollout> {
  return (await replaceRollout(fleet, endRollout(rollout, "unlocked"), { revision, now: ports.clock.now() })).rollout;
}
