/** A request has at most 64 KiB; a reply may be as large as the server permits. */
import * as z from "zod/mini";
import { rights } from "../core/api/rights.ts";
import type { ErrorBody } from "../core/index.ts";

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
