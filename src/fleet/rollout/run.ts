import type { FleetRollout } from "../../core/api/fleet-rollout.ts";
import {
  deployRun,
  rolloutApply,
  rolloutRollback,
  type Operation,
  SvcmError,
  type Ports,
  commandLineCaller,
  withAudit,
} from "../../core/index.ts";
import {
  recordResponse,
  recordRequests,
  endRollout,
  isDeploy,
  nextMove,
  turnBack,
  type NodeResponse,
  transferRollout,
} from "../../core/nodes/rollout.ts";
import type { Fleet } from "../fleet.ts";
import { replaceWithRetry, type RecordedRollout, replaceRollout } from "./record.ts";
import { isRemaining, type NodePlan, type RolloutContext, type RolloutOf } from "./begin.ts";

export interface RunContext {
  readonly fleet: Fleet;
  readonly ports: Ports;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  readonly onChange: (rollout: FleetRollout) => void;
}

/** A request is repeated after this time; the node replies to the repetition with the result of the first request. */
const REQUEST_TIMEOUT_MS = 30_000;
const RETRY_INTERVAL_MS = 500;

type NodeAnswer = NodeResponse & { readonly node: string };

/**
 * If the rollout cannot continue, the record has no holder and the lock stays.
 * @throws {SvcmError} APPLY_LOCKED with ROLLOUT_MOVED_ON, FLEET_FAILED if the record cannot be written
 */
export async function runRollout(
  context: RunContext,
  { rollout: initial, revision: first }: RecordedRollout,
): Promise<FleetRollout> {
  const { fleet: link, ports, deadlineMs: patienceMs, signal, onChange } = context;
  const pending = new Map<string, Promise<NodeAnswer>>();
  let current: RecordedRollout = { rollout: initial, revision: first };
  const journal = async (next: FleetRollout): Promise<void> => {
    current = await replaceWithRetry({ link, ports, patienceMs }, next, current.revision);
    onChange(next);
  };
  for (;;) {
    const move = nextMove(current.rollout, { busy: new Set(pending.keys()), isStopping: signal.aborted });
    if (move.do === "request") {
      await journal(recordRequests(current.rollout, move.nodes));
      for (const node of move.nodes) pending.set(node, requestUntilAnswered(context, current, node));
    } else if (move.do === "wait") {
      const { node, ...answer } = await Promise.race(pending.values());
      pending.delete(node);
      await journal(recordResponse(current.rollout, node, answer));
    } else if (move.do === "turn-back") await journal(turnBack(current.rollout));
    else {
      await journal(endRollout(current.rollout, move.do === "end" ? move.outcome : null));
      return current.rollout;
    }
  }
}

/** Repeats the request, because a request or its reply can be lost. */
async function requestUntilAnswered(
  { fleet, ports, deadlineMs }: RunContext,
  held: RecordedRollout,
  node: string,
): Promise<NodeAnswer> {
  const until = ports.clock.elapsed() + deadlineMs;
  for (;;) {
    const leftMs = until - ports.clock.elapsed();
    try {
      const result = await requestStep(fleet, held, node, Math.max(1, Math.min(REQUEST_TIMEOUT_MS, leftMs)));
      return { node, ...result };
    } catch (error) {
      if (!(error instanceof SvcmError)) throw error;
      const { kind, message, body } = error;
      const mayComeLater = kind === "FLEET_FAILED" || kind === "SERVICE_BUSY" || body.code === "REQUEST_LATE";
      if (!mayComeLater || leftMs <= RETRY_INTERVAL_MS)
        return { node, kind, reason: message, ...(body.code && { code: body.code }) };
      await ports.clock.sleep(RETRY_INTERVAL_MS);
    }
  }
}

function requestStep(fleet: Fleet, { rollout, revision }: RecordedRollout, node: string, timeoutMs: number) {
  const { id, environment, holder, direction, choices, nodes } = rollout;
  const { step = 0, plan } = nodes.find((one) => one.node === node) ?? {};
  const fence = { environment, rollout: id, step, holder: holder ?? "", revision };
  if (direction === "rollback") {
    const { timeoutMs: patienceMs, lockTimeoutMs } = choices;
    const input = { timeoutMs: patienceMs, lockTimeoutMs };
    return fleet.requestStep(node, { operation: rolloutRollback, input, fence }, timeoutMs);
  }
  const input = { ...choices, ...(typeof plan === "string" && { plan }) };
  // The node refuses members that its operation does not have.
  const operation = (isDeploy(choices) ? deployRun : rolloutApply) as Operation<typeof input, unknown>;
  return fleet.requestStep(node, { operation, input, fence }, timeoutMs);
}

/** The ways in which a rollout passes to another user or ends; the audit log of this machine records each. */

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
