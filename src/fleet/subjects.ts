/** `svcm.<node>.<read|write>.<topic>.<verb>.<user>`; only the account of the user has this subject. */
import type { Access } from "../core/index.ts";

export type RequestKind = "read" | "write";

export interface Address {
  readonly node: string;
  readonly kind: RequestKind;
  readonly id: string;
  readonly user: string;
}

/** Its messages expire, so a node that has gone disappears. */
export const NODES_STREAM = "svcm_nodes";

export const EVENTS_STREAM = "svcm_events";

/** Lock and journal of the rollouts of one environment. */
export function rolloutStream(environment: string): string {
  return `svcm_rollout_${toToken(environment)}`;
}

/** The account of one key alone has each of these subjects, so the last part says who wrote a message. */
export function presenceSubject(node: string): string {
  return `in.nodes.${node}`;
}

/** @param node `*` for all nodes */
export function eventSubject(node: string): string {
  return `in.events.${node}`;
}

/** @param user `*` for all users */
export function rolloutSubject(environment: string, user: string): string {
  return `in.rollout.${toToken(environment)}.${user}`;
}

/** An environment name has no capital letters. */
function toToken(environment: string): string {
  return environment.replaceAll(".", "DOT");
}

export type StreamVerb = "INFO" | "MSG.GET" | "CREATE" | "UPDATE";

/** In the account of the streams. */
export function streamApi(verb: StreamVerb, stream: string): string {
  return `$JS.API.STREAM.${verb}.${stream}`;
}

/** In the account of a key. Each account has its own `$JS.API`, so the import has another name. */
export function importedApi(verb: StreamVerb, stream: string): string {
  return `svcm.api.STREAM.${verb}.${stream}`;
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

/** @returns `undefined` if the subject does not belong to a node's events */
export function parseEventNode(subject: string): string | undefined {
  return /^in\.events\.([^.*>]+)$/.exec(subject)?.[1];
}

/** Reading log lines needs a different right, but changes nothing. */
export function requestKind(access: Access): RequestKind {
  return access === "read" || access === "logs" ? "read" : "write";
}
