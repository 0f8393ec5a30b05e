/** The subjects of the fleet: `svcm.<node>.<read|write>.<topic>.<verb>.<user>`. The NATS server lets users publish only under their own names. */
import type { Access } from "../core/index.ts";

export type Kind = "read" | "write";

export interface Address {
  readonly node: string;
  readonly kind: Kind;
  /** Of the operation, for example `process.act`. */
  readonly id: string;
  readonly user: string;
}

/** The keys of the bucket expire, so a node that is gone is not in it. */
export const NODES_BUCKET = "svcm_nodes";
export const NODES_STREAM = `KV_${NODES_BUCKET}`;

/** The stream of the events and audit records of all nodes. */
export const EVENTS_STREAM = "svcm_events";

/** The bucket of the rollout; its one key is both lock and journal. */
export const ROLLOUTS_BUCKET = "svcm_rollouts";
export const ROLLOUTS_STREAM = `KV_${ROLLOUTS_BUCKET}`;
export const ROLLOUT_KEY = "present";

/** The subjects of a bucket's keys begin so. */
export function subjectIn(stream: string): string {
  return `$KV.${stream.slice("KV_".length)}.`;
}

/** A token of a subject: no dot, no wildcard, no white space. */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

const PARTS = 6;

export function subjectOf({ node, kind, id, user }: Address): string {
  return `svcm.${node}.${kind}.${id}.${user}`;
}

/** Everything that a node answers. */
export function subjectsOfNode(node: string): string {
  return `svcm.${node}.*.*.*.*`;
}

/** @returns `undefined` if it is not the address of a request */
export function addressOf(subject: string): Address | undefined {
  const parts = subject.split(".");
  const [root, node = "", kind, topic = "", verb = "", user = ""] = parts;
  if (parts.length !== PARTS || root !== "svcm" || (kind !== "read" && kind !== "write")) return undefined;
  return { node, kind, id: `${topic}.${verb}`, user };
}

/** Only the node itself may publish there. @param node `*` for all of them */
export function eventsOf(node: string): string {
  return `svcm.${node}.events`;
}

/** @returns `undefined` if no node publishes there */
export function nodeOfEvents(subject: string): string | undefined {
  return /^svcm\.([^.*>]+)\.events$/.exec(subject)?.[1];
}

/** Log lines need another right, but reading them changes nothing. */
export function kindOfAccess(access: Access): Kind {
  return access === "read" || access === "logs" ? "read" : "write";
}

/** Answers go to subjects that only this user may read. */
export function inboxOf(kind: "user" | "node", name: string): string {
  return `_INBOX.${kind}.${name}`;
}

/** The subjects of the answers of a node to a user: only the user may read there, and only the node may publish. @param user `*` for all of them */
export function answersOf({ node, user }: Pick<Address, "node" | "user">): string {
  return `${inboxOf("user", user)}.${node}`;
}
