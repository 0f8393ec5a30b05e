import type { ListedNode } from "../core/api/node.ts";
import { nodeShow, SvcmError } from "../core/index.ts";
import type { KnownNode, FleetClient } from "./fleet.ts";
import type { Presence } from "./presence.ts";

export type AnswerState = "answered" | "failed" | "silent" | "away" | "refused" | "other-version";

/** A node responds with these if it does not support a request. */
const UNSUPPORTED_KINDS: ReadonlySet<string> = new Set(["NOT_FOUND", "INVALID_REQUEST", "INVALID_PAYLOAD"]);

/** Why there is no result from a node; `failed` if the operation itself refused. */
export function findAnswerState(error: unknown, presence: Presence | undefined, ownVersion: string): AnswerState {
  const { svcm: version = ownVersion } = presence ?? {};
  const isOther = version !== ownVersion;
  // A node with another version may reply in a form that this svcm cannot show.
  if (!(error instanceof SvcmError)) return isOther ? "other-version" : "failed";
  if (isRefusal(error)) return "refused";
  if (isOtherForm(error, isOther)) return "other-version";
  if (error.kind !== "FLEET_FAILED" || error.body.code === "ANSWER_INVALID") return "failed";
  return presence === undefined ? "away" : "silent";
}

function isRefusal({ kind }: SvcmError): boolean {
  return kind === "FORBIDDEN" || kind === "UNAUTHORIZED";
}

function isOtherForm({ kind, body: { code } }: SvcmError, isOther: boolean): boolean {
  return code === "OPERATION_UNKNOWN" || (isOther && (code === "ANSWER_INVALID" || UNSUPPORTED_KINDS.has(kind)));
}

export async function listNodes(fleet: FleetClient, deadlineMs: number): Promise<readonly ListedNode[]> {
  const nodes = await fleet.nodes();
  return await Promise.all(nodes.map((node) => describeNode(fleet, node, deadlineMs)));
}

/** @throws {SvcmError} INVALID_REQUEST if there is no such node */
export async function showNode(fleet: FleetClient, name: string, deadlineMs: number): Promise<ListedNode> {
  const nodes = await fleet.nodes();
  const node = nodes.find((one) => one.name === name);
  if (node !== undefined) return await describeNode(fleet, node, deadlineMs);
  throw nodeUnknown(
    name,
    nodes.map((one) => one.name),
  );
}

async function describeNode(
  fleet: FleetClient,
  { name, labels, isDeclared, presence }: KnownNode,
  deadlineMs: number,
): Promise<ListedNode> {
  const { instance: _instance, run: _run, left: _left, rival, ...announced } = presence ?? {};
  const common = { name, labels, ...announced };
  // svcm lists an undeclared node, but sends it nothing.
  if (!isDeclared) return { ...common, state: "undeclared", reason: "svcm.yaml does not declare it under nats." };
  try {
    const answer = { ...(await fleet.ask(name, nodeShow, {}, deadlineMs)), ...common };
    if (rival === undefined) return { ...answer, state: "online" };
    const reason = `It answers, but another svcm, on the host ${rival}, wants the same name and serves nothing.`;
    return { ...answer, state: "duplicate", reason };
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    const state = isRefusal(error) ? "refused" : presence === undefined ? "away" : "silent";
    return { ...common, state, reason: error.message };
  }
}

export function nodeUnknown(name: string, accepted: readonly string[]): SvcmError {
  return new SvcmError("INVALID_REQUEST", {
    code: "NODE_UNKNOWN",
    details: `No node has the name ${JSON.stringify(name.slice(0, 80))}. Accepted: ${accepted.join(", ") || "a node of svcm.yaml"}.`,
  });
}
