/** `svcm.<node>.<read|write>.<topic>.<verb>.<user>`; only the account of the user has this subject. */
import type { Access, ErrorBody } from "../core/index.ts";
import * as z from "zod/mini";
import { rights } from "../core/api/rights.ts";

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

/** A request has at most 64 KiB; a reply may be as large as the server permits. */

export const MAX_REQUEST_BYTES = 64 * 1024;
export const MAX_DEPTH = 8;
/** A node waits no longer for its processes; the asker asks again. */
export const MAX_WAIT_MS = 5_000;

const names = z.optional(z.array(z.string().check(z.maxLength(200))).check(z.maxLength(200)));

/** Can only remove rights of the user, never add any. */
const askerSchema = z.strictObject({
  actor: z.string().check(z.regex(/^[\w.@-]{1,64}$/)),
  grants: z.array(z.enum(rights)).check(z.maxLength(rights.length)),
  environments: names,
  services: names,
});

export type Asker = z.infer<typeof askerSchema>;

/** A node carries out each id once, and nothing after `notAfter` of its clock. So a delayed message has no effect. */
export const requestSchema = z.strictObject({
  input: z.record(z.string(), z.unknown()),
  id: z.optional(z.string().check(z.minLength(8), z.maxLength(64))),
  notAfter: z.optional(z.int().check(z.minimum(0))),
  asker: z.optional(askerSchema),
  /** Only for a step of a rollout: the node compares it with the record. */
  rollout: z.optional(
    z.strictObject({
      environment: z.string().check(z.maxLength(80)),
      rollout: z.string().check(z.maxLength(80)),
      step: z.int().check(z.minimum(0)),
      holder: z.string().check(z.maxLength(80)),
      revision: z.int().check(z.minimum(0)),
    }),
  ),
});

export type Request = z.infer<typeof requestSchema>;

/** `now` is the clock of the node. The `kind` of a refusal gives the same exit code as a local command. */
export type Reply = { readonly now: number } & (
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly kind: string; readonly error: ErrorBody }
);

export function encode(message: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(message));
}

/** @returns `undefined` if svcm did not write the bytes */
export function decodeReply(bytes: Uint8Array): Reply | undefined {
  try {
    const reply = JSON.parse(new TextDecoder().decode(bytes)) as Partial<Reply> | null;
    if (typeof reply?.now !== "number") return undefined;
    const isRefusal = reply.ok === false && typeof reply.kind === "string" && typeof reply.error?.error === "string";
    return isRefusal || (reply.ok === true && "result" in reply) ? (reply as Reply) : undefined;
  } catch {
    return undefined;
  }
}
