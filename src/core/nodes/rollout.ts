import { cutText } from "../words/text.ts";
import { type FleetRollout, type RolledNode, fleetRolloutBody } from "../api/fleet-rollout.ts";
import type { ErrorKind } from "../api/errors.ts";
import type { KeptCode } from "../api/rollout.ts";
import { keptCodeText } from "../rollout/report/words.ts";
import type { Limits } from "../api/rights.ts";

export type Move =
  /** The request is recorded before it is sent. */
  | { readonly do: "request"; readonly nodes: readonly string[] }
  | { readonly do: "wait" | "turn-back" | "stop" }
  | { readonly do: "end"; readonly outcome: "applied" | "returned" };

export interface Progress {
  readonly busy: ReadonlySet<string>;
  readonly isStopping: boolean;
}

/**
 * In order, at most `maxParallel` nodes at a time, and back in reverse order. After the first failure no further node
 * begins. A node that does not respond is a failure.
 */
export function nextMove(rollout: FleetRollout, { busy, isStopping }: Progress): Move {
  const { nodes, direction, maxParallel, choices } = rollout;
  const isBack = direction === "rollback";
  const isBlocked = isStopping || (!isBack && nodes.some(hasFailed));
  if (isBlocked) return busy.size > 0 ? WAIT : { do: isStopping || choices.revert === false ? "stop" : "turn-back" };
  const pending = (isBack ? nodes.toReversed() : nodes).filter((one) => !busy.has(one.node) && isPending(one, isBack));
  const next = pending.slice(0, Math.max(0, maxParallel - busy.size)).map(({ node }) => node);
  if (next.length > 0) return { do: "request", nodes: next };
  return busy.size > 0 ? WAIT : lastMove(rollout);
}

const WAIT: Move = { do: "wait" };

function lastMove({ nodes, direction }: FleetRollout): Move {
  if (direction === "apply") return { do: "end", outcome: "applied" };
  return nodes.some(({ state }) => state === "returning") ? { do: "stop" } : { do: "end", outcome: "returned" };
}

function hasFailed({ state, code }: RolledNode): boolean {
  return state === "failed" || state === "half" || (state === "applying" && code !== undefined);
}

function isPending({ state, code }: RolledNode, isBack: boolean): boolean {
  if (!isBack) return state === "waiting" || state === "applying";
  return (
    state === "applied" || state === "half" || state === "applying" || (state === "returning" && code === undefined)
  );
}

/** A repeated request keeps its number. */
export function recordRequests(rollout: FleetRollout, names: readonly string[]): FleetRollout {
  const state = rollout.direction === "apply" ? "applying" : "returning";
  let { steps } = rollout;
  const nodes = rollout.nodes.map((one): RolledNode => {
    if (!names.includes(one.node) || one.state === state) return one;
    return { ...withoutReason(one), state, step: (steps += 1) };
  });
  return { ...rollout, nodes, steps };
}

/** `kind` is absent if the node carried the action out. */
export interface NodeResponse {
  readonly kind?: ErrorKind;
  readonly release?: string | null;
  /** The definitions returned, and the code did not. */
  readonly keptCode?: KeptCode | undefined;
  readonly code?: string;
  readonly reason?: string;
}

export function recordResponse(rollout: FleetRollout, name: string, response: NodeResponse): FleetRollout {
  const settle = rollout.direction === "apply" ? afterApply : afterReturn;
  return { ...rollout, nodes: rollout.nodes.map((one) => (one.node === name ? settle(one, response) : one)) };
}

function afterApply(one: RolledNode, { kind, release, code, reason }: NodeResponse): RolledNode {
  if (kind === undefined)
    return release
      ? { ...withoutReason(one), state: "applied", release }
      : { ...withoutReason(one), state: "unchanged" };
  const state = isNoResponse(kind, code) ? "applying" : UNCHANGED_AFTER.has(kind) ? "failed" : "half";
  return { ...one, state, ...failureReason(code ?? kind, reason) };
}

/** A node without anything to return never began, unless its code stays. */
function afterReturn(one: RolledNode, { kind, code, reason, keptCode }: NodeResponse): RolledNode {
  if (keptCode !== undefined) return { ...one, ...failureReason(CODE_STAYS, keptCodeText(keptCode)) };
  const isDone = kind === undefined || (kind === "NOTHING_TO_ROLL_BACK" && code !== CODE_STAYS);
  return isDone ? { ...withoutReason(one), state: "returned" } : { ...one, ...failureReason(code ?? kind, reason) };
}

const CODE_STAYS = "CODE_STAYS";

/** The request may have been lost, or its response. */
function isNoResponse(kind: ErrorKind, code: string | undefined): boolean {
  return kind === "FLEET_FAILED" || kind === "SERVICE_BUSY" || code === "ROLLOUT_MOVED_ON";
}

/** After these refusals of an apply or a deploy, every process of the node runs as before. */
const UNCHANGED_AFTER: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  "APPLY_REVERTED",
  "APPLY_LOCKED",
  "DEPLOY_FAILED",
  "DEPLOY_IMPOSSIBLE",
  "DEPLOY_LOCKED",
  "DEPLOY_REFUSED",
  "REVISION_FAILED",
  "PLAN_STALE",
  "WORKTREE_DIRTY",
  "PREFLIGHT_FAILED",
  "PROCESS_ACTION_REFUSED",
  "ECOSYSTEM_FILE_FAILED",
  "FACT_INVALID",
  "INVALID_ENVIRONMENT",
  "INVALID_REQUEST",
  "INVALID_PAYLOAD",
  "NOT_FOUND",
  "FORBIDDEN",
  "UNAUTHORIZED",
]);

export function isDeploy({ revision, from }: Pick<FleetRollout["choices"], "revision" | "from">): boolean {
  return revision !== undefined || from !== undefined;
}

export function turnBack(rollout: FleetRollout): FleetRollout {
  return { ...rollout, direction: "rollback" };
}

/** Without an outcome, the lock stays, and another svcm process may take over the rollout. */
export function endRollout(rollout: FleetRollout, outcome: FleetRollout["outcome"]): FleetRollout {
  return { ...rollout, holder: null, outcome };
}

/** Nodes that did not respond get their request again, and failed ones get another attempt. */
export function transferRollout(
  rollout: FleetRollout,
  by: Pick<FleetRollout, "holder" | "owner" | "direction" | "takenFrom">,
): FleetRollout {
  const isBack = by.direction === "rollback";
  let { steps } = rollout;
  const nodes = rollout.nodes.map((one): RolledNode => {
    if (one.state === "failed" && !isBack) return { ...withoutReason(one), state: "waiting" };
    // A node repeats the response of a known step, so a failed return becomes a new step.
    if (one.state === "returning") return { ...withoutReason(one), step: (steps += 1) };
    return one.state === "applying" ? withoutReason(one) : one;
  });
  return { ...rollout, ...by, nodes, steps };
}

export type RolloutState = "applying" | "returning" | "stopped" | NonNullable<FleetRollout["outcome"]>;

export function rolloutState({ outcome, holder, direction }: FleetRollout): RolloutState {
  if (outcome !== null) return outcome;
  if (holder === null) return "stopped";
  return direction === "apply" ? "applying" : "returning";
}

function withoutReason({ code: _code, reason: _reason, ...rest }: RolledNode): RolledNode {
  return rest;
}

const MAX_REASON_LENGTH = 600;

function failureReason(code: string, reason = ""): Pick<RolledNode, "code" | "reason"> {
  return { code, ...(reason !== "" && { reason: cutText(reason, MAX_REASON_LENGTH) }) };
}

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

/** Decides if a record that a user has written counts. The NATS server vouches for the writer of each. */

export interface WrittenRecord {
  /** The NATS server vouches for it. */
  readonly user: string;
  readonly seq: number;
  readonly text: string;
  /** Without the expectation, the record may have displaced one that its writer had not read. */
  readonly isExpected: boolean;
}

export interface RolloutPlace {
  readonly environment: string;
  /** All of the project; a rollout without a service concerns all of them. */
  readonly services: readonly string[];
}

/** Another version of svcm wrote the record, and it holds the lock like any other. */
export interface UnreadableRollout {
  readonly id: string;
  readonly owner: string;
  readonly isOpen: boolean;
}

export type JudgedRecord =
  | { readonly is: "rollout"; readonly rollout: FleetRollout }
  | { readonly is: "unreadable"; readonly unreadable: UnreadableRollout }
  | { readonly is: "void"; readonly reason: string };

export function judgeRecord(record: WrittenRecord, place: RolloutPlace, limits: Limits): JudgedRecord {
  const content = parseObject(record.text);
  const reason = content === undefined ? NO_RECORD : whyNotOfWriter(content, record, place);
  if (content === undefined || reason !== undefined) return { is: "void", reason: reason ?? NO_RECORD };
  const parsed = fleetRolloutBody.safeParse(content);
  if (!parsed.success) return judgeUnreadable(content, record.user);
  const rollout = parsed.data as FleetRollout;
  const outside = whyOutside(rollout, place, limits);
  return outside === undefined ? { is: "rollout", rollout } : { is: "void", reason: outside };
}

const NO_RECORD = "it is not a record of a rollout";

type Content = Readonly<Record<string, unknown>>;

function whyNotOfWriter(
  content: Content,
  { user, isExpected }: WrittenRecord,
  { environment }: RolloutPlace,
): string | undefined {
  if (!isExpected) return "its writer had not read the record before it";
  if (content["owner"] !== user) return "it names another owner";
  return content["environment"] === environment ? undefined : "it names another environment";
}

function judgeUnreadable({ id, outcome }: Content, owner: string): JudgedRecord {
  if (typeof id !== "string" || id.length > MAX_ID || outcome === undefined) return { is: "void", reason: NO_RECORD };
  return { is: "unreadable", unreadable: { id, owner, isOpen: outcome === null } };
}

function whyOutside(
  { choices }: FleetRollout,
  { environment, services }: RolloutPlace,
  { services: allowed }: Limits,
): string | undefined {
  const requested = choices.service === undefined ? services : [choices.service];
  const isLimited =
    allowed !== undefined && (requested.length === 0 || requested.some((name) => !allowed.includes(name)));
  if (isLimited) return "it concerns a service that its writer may not change";
  return (choices.environment ?? environment) === environment ? undefined : "it names another environment";
}

const MAX_ID = 80;

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const content: unknown = JSON.parse(text);
    return typeof content === "object" && content !== null ? (content as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
