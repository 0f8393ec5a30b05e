/** `svcm.<node>.<read|write>.<topic>.<verb>.<user>`; the NATS server lets users publish only under their own names. */
import type { Access } from "../core/index.ts";

export type RequestKind = "read" | "write";

export interface Address {
  readonly node: string;
  readonly kind: RequestKind;
  readonly id: string;
  readonly user: string;
}

/** Its keys expire, so a node that has gone disappears. */
export const NODES_BUCKET = "svcm_nodes";
export const NODES_STREAM = `KV_${NODES_BUCKET}`;

export const EVENTS_STREAM = "svcm_events";

/** Its only key is both lock and journal. */
export const ROLLOUTS_BUCKET = "svcm_rollouts";
export const ROLLOUTS_STREAM = `KV_${ROLLOUTS_BUCKET}`;
export const ROLLOUT_KEY = "present";

export function bucketSubject(stream: string): string {
  return `$KV.${stream.slice("KV_".length)}.`;
}

/** A token of a subject: no dot, no wildcard, no white space. */
export const SUBJECT_TOKEN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

const SUBJECT_PARTS = 6;

export function requestSubject({ node, kind, id, user }: Address): string {
  return `svcm.${node}.${kind}.${id}.${user}`;
}

export function nodeRequestSubjects(node: string): string {
  return `svcm.${node}.*.*.*.*`;
}

/** @returns `undefined` if the subject does not belong to a request */
export function parseAddress(subject: string): Address | undefined {
  const parts = subject.split(".");
  const [root, node = "", kind, topic = "", verb = "", user = ""] = parts;
  if (parts.length !== SUBJECT_PARTS || root !== "svcm" || (kind !== "read" && kind !== "write")) return undefined;
  return { node, kind, id: `${topic}.${verb}`, user };
}

/** Only the node itself may publish on this subject. @param node `*` for all nodes */
export function eventSubject(node: string): string {
  return `svcm.${node}.events`;
}

/** @returns `undefined` if the subject does not belong to a node's events */
export function parseEventNode(subject: string): string | undefined {
  return /^svcm\.([^.*>]+)\.events$/.exec(subject)?.[1];
}

/** Reading log lines needs a different right, but changes nothing. */
export function requestKind(access: Access): RequestKind {
  return access === "read" || access === "logs" ? "read" : "write";
}

/** Replies go to subjects that only this user may read. */
export function inboxPrefix(kind: "user" | "node", name: string): string {
  return `_INBOX.${kind}.${name}`;
}

/** Only the user may read them, and only the node may publish on them. @param user `*` for all users */
export function replyPrefix({ node, user }: Pick<Address, "node" | "user">): string {
  return `${inboxPrefix("user", user)}.${node}`;
}
