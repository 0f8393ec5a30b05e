import type { FleetRollout, RolloutChoices } from "../../core/api/fleet-rollout.ts";
import { deployPlan, refusePlan, rolloutPlan, SvcmError, type DeployPlan, type Ports } from "../../core/index.ts";
import type { Plan } from "../../core/api/rollout.ts";
import { isDeploy } from "../../core/nodes/rollout.ts";
import { type Fleet, type KnownNode, findAnswerState, type AnswerState } from "../fleet.ts";
import { lockedError, replaceRollout, toRecorded, type RecordedRollout } from "./record.ts";
import type { PresentRollout } from "./store.ts";

export interface NodePlan {
  readonly node: string;
  readonly plan: Plan;
  /** Of a deploy. */
  readonly prepared?: DeployPlan;
}

export interface Choices {
  readonly apply: RolloutChoices;
  readonly maxParallel: number;
}

export interface RolloutContext {
  readonly fleet: Fleet;
  readonly ports: Ports;
}

/**
 * Every node needs a plan that can be applied.
 * @throws {SvcmError} APPLY_LOCKED, FLEET_FAILED, WORKTREE_DIRTY, PROCESS_ACTION_REFUSED, ECOSYSTEM_FILE_FAILED
 */
export async function planNodes({ fleet, ports }: RolloutContext, request: PlanRequest): Promise<NodePlan[]> {
  const plans = await askPlans(fleet, request);
  const [environment = "", ...others] = new Set(plans.map(({ plan }) => plan.environment));
  if (others.length > 0)
    throw new SvcmError("INVALID_REQUEST", {
      details: `The nodes would apply different environments: ${[environment, ...others].join(", ")}. Accepted: one, named with --environment.`,
    });
  requireOneCommit(plans, request);
  await readFinished(fleet, environment, ports.clock.now());
  return plans;
}

/** A branch may move between two fetches, and a file may differ. */
function requireOneCommit(plans: readonly NodePlan[], { apply }: Pick<PlanRequest, "apply">): void {
  const commits = new Set(plans.map(({ prepared }) => prepared?.commit));
  if (commits.size < 2) return;
  const found = plans.map(({ node, prepared }) => `${node}: ${prepared?.commit.slice(0, 10)}`);
  throw new SvcmError("DEPLOY_FAILED", {
    code: "DEPLOY_COMMITS_DIFFER",
    details: `No node was changed, because the nodes would deploy different code: ${found.join(", ")}.`,
    hint:
      apply.from === undefined
        ? "Name the commit: svcm deploy <commit> --node <node>"
        : "Copy the same release to each node, then deploy again.",
  });
}

/** A plan is quick; a deploy prepares its release first. */
const PLAN_MS = 60_000;

async function askPlan(fleet: Fleet, node: string, { apply, deploys, deadlineMs, say }: PlanRequest) {
  const { environment, service, apps, prune, preflight, restart, revision, from, lockTimeoutMs } = apply;
  if (!deploys) {
    const place = { environment, service, apps, prune, preflight, restart };
    return { plan: await fleet.ask(node, rolloutPlan, place, Math.min(deadlineMs, PLAN_MS)) };
  }
  say?.(`${node}: preparing`);
  const request = { environment, service, revision, from, prune, lockTimeoutMs };
  const prepared = await fleet.ask(node, deployPlan, request, deadlineMs);
  say?.(`${node}: prepared ${prepared.commit.slice(0, 7)}`);
  return { plan: prepared.plan, prepared };
}

async function askPlans(fleet: Fleet, request: PlanRequest): Promise<NodePlan[]> {
  const { nodes, apply, version } = request;
  const answers = await Promise.all(
    nodes.map(async ({ name: node, presence }): Promise<NodePlan | RefusedPlan> => {
      try {
        const answer = await askPlan(fleet, node, request);
        const { plan } = answer;
        refusePlan(plan, { allowDirty: apply.allowDirty });
        if (plan.exists) return { node, ...answer };
        throw new SvcmError("ECOSYSTEM_FILE_FAILED", { details: `svcm looked for ${plan.path}.` });
      } catch (error) {
        if (!(error instanceof SvcmError)) throw error;
        return { node, state: findAnswerState(error, presence, version), error };
      }
    }),
  );
  const refused = answers.flatMap((one) => ("error" in one ? [one] : []));
  if (refused.length === 0) return answers.flatMap((one) => ("plan" in one ? [one] : []));
  throw cannotApplyError(refused, request);
}

/** Another person may have chosen what the rollout applies, so who continues it sees the plans of today. */
export async function planRemaining(
  fleet: Fleet,
  { rollout }: RecordedRollout,
  request: Omit<PlanRequest, "nodes" | "apply" | "deploys">,
): Promise<NodePlan[]> {
  const remaining = new Set(rollout.nodes.filter(isRemaining).map(({ node }) => node));
  const nodes = (await fleet.nodes()).filter(({ name, isDeclared }) => isDeclared && remaining.has(name));
  const apply = { ...rollout.choices, environment: rollout.environment } as Choices["apply"];
  return askPlans(fleet, { ...request, nodes, apply, deploys: isDeploy(apply) });
}

export function isRemaining({ state }: FleetRollout["nodes"][number]): boolean {
  return state === "waiting" || state === "failed";
}

interface RefusedPlan {
  readonly node: string;
  readonly state: AnswerState;
  readonly error: SvcmError;
}

function cannotApplyError(
  refused: readonly RefusedPlan[],
  { nodes, deploys, apply: { from } }: Pick<PlanRequest, "nodes" | "deploys" | "apply">,
): SvcmError {
  const [verb, command] = deploys ? ["prepare", "svcm deploy --dry-run"] : ["apply", "svcm plan"];
  const reasons = refused.map(({ node, state, error }) => `${node} (${state}): ${error.message}`);
  const { kind, body: { code } = {} } = refused[0]?.error ?? {};
  return new SvcmError(kind ?? "FLEET_FAILED", {
    ...(code !== undefined && { code }),
    details: `No node was changed, because ${refused.length} of ${nodes.length} cannot ${verb}. ${reasons.join(" ")}`,
    hint:
      from !== undefined && refused.some(({ error }) => error.body.code === "RELEASE_FILE_UNUSABLE")
        ? "svcm sends no file to a node. Copy the release to the named path of each node, for example with scp, then deploy again."
        : `See each of them: ${command} --node <node>`,
  });
}

interface PlanRequest {
  readonly nodes: readonly KnownNode[];
  readonly apply: Choices["apply"];
  /** Without a revision, too. */
  readonly deploys?: boolean;
  readonly deadlineMs: number;
  readonly version: string;
  /** Gets a line for each node that prepares. */
  readonly say?: (line: string) => void;
}

/** Takes the lock. @throws {SvcmError} APPLY_LOCKED, FORBIDDEN, FLEET_FAILED */
export async function beginRollout(
  { fleet, ports }: RolloutContext,
  plans: readonly NodePlan[],
  choices: Choices,
): Promise<RecordedRollout> {
  const { apply, maxParallel } = choices;
  const now = ports.clock.now();
  const { plan: { environment } = { environment: "" }, prepared } = plans[0] ?? {};
  // Later fetches of a branch may find another commit.
  const commit = prepared === undefined || apply.from !== undefined ? {} : { revision: prepared.commit };
  const revision = await readFinished(fleet, environment, now);
  const startedAt = new Date(now).toISOString();
  const rollout: FleetRollout = {
    id: `${startedAt.slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-")}-${ports.host.randomId().slice(0, 8)}`,
    environment,
    owner: fleet.user,
    holder: ports.host.randomId(),
    ...(apply.message !== undefined && { message: apply.message }),
    startedAt,
    direction: "apply",
    outcome: null,
    maxParallel,
    choices: { ...apply, ...commit, environment },
    steps: 0,
    nodes: plans.map(({ node, plan }) => ({ node, plan: plan.id, state: plan.changed ? "waiting" : "unchanged" })),
  };
  return replaceRollout(fleet, rollout, { revision, now });
}

/** @returns the revision to replace @throws {SvcmError} APPLY_LOCKED if a rollout holds the lock */
async function readFinished(fleet: Fleet, environment: string, now: number): Promise<number> {
  const present = await fleet.rollouts.read(environment);
  if (present.unreadable?.isOpen === true) toRecorded(present);
  if (present.rollout?.outcome === null) throw lockedError(present.rollout, now);
  return present.revision;
}

export interface RolloutOf extends PresentRollout {
  readonly environment: string;
}

/** Open ones first, then the newest first. @param environment all if absent */
export async function listRollouts(fleet: Fleet, environment?: string): Promise<RolloutOf[]> {
  const names = environment === undefined ? fleet.environments : [environment];
  const all = await Promise.all(
    names.map(async (name) => ({ environment: name, ...(await fleet.rollouts.read(name)) })),
  );
  const rank = (one: RolloutOf): string => `${Number(isOpen(one))} ${one.rollout?.startedAt ?? ""}`;
  return all.filter(({ revision, ignored }) => revision > 0 || ignored.length > 0).toSorted(descending(rank));
}

function descending<T>(rank: (one: T) => string): (a: T, b: T) => number {
  return (a, b) => (rank(a) < rank(b) ? 1 : rank(a) > rank(b) ? -1 : 0);
}

function isOpen({ rollout, unreadable }: PresentRollout): boolean {
  return rollout?.outcome === null || unreadable?.isOpen === true;
}

/** @throws {SvcmError} INVALID_REQUEST with ROLLOUT_NOT_FOUND */
export async function requireOpenRollout(fleet: Fleet, environment?: string): Promise<RolloutOf> {
  const [current, ...others] = (await listRollouts(fleet, environment)).filter(isOpen);
  if (current !== undefined && others.length === 0) return current;
  throw current === undefined
    ? new SvcmError("INVALID_REQUEST", {
        code: "ROLLOUT_NOT_FOUND",
        details: "No rollout holds the lock, so there is nothing to resume, to roll back or to unlock.",
        hint: "See the last rollout: svcm rollout status",
      })
    : new SvcmError("INVALID_REQUEST", {
        details: `Rollouts of several environments are open. Accepted: --environment ${[current, ...others].map((one) => one.environment).join(" or ")}.`,
      });
}
