import * as z from "zod";
import type { BodyOf } from "./body.ts";
import { rights, roles } from "./rights.ts";

const limits = {
  environments: z.array(z.string()).optional().describe("Canonical names; absent if it is not limited to some."),
  services: z.array(z.string()).optional().describe("Services of `svcm.yaml`; absent if it is not limited to some."),
};
const expiresAt = z.iso.datetime().optional().describe("Absent if it never expires.");

export const identityBody = z
  .strictObject({
    actor: z.string().describe("The name of the token, the user of the system, or `anonymous`."),
    role: z.enum(roles).nullable().describe("Null without a token."),
    rights: z.array(z.enum(rights)).describe("Everything that the caller may do."),
    ...limits,
  })
  .describe("The caller, and what it may do.");

const token = {
  name: z.string().describe("The actor of its records."),
  role: z.enum(roles),
  propose: z.boolean().optional().describe("True if it may propose changes, which a user approves."),
  ...limits,
  createdAt: z.iso.datetime(),
  expiresAt,
};

export const tokenListBody = z
  .strictObject({ tokens: z.array(z.strictObject({ ...token, expired: z.boolean() })) })
  .describe("The tokens of the repository, by name. None of them is shown.");

export const createdTokenBody = z
  .strictObject({ ...token, token: z.string().describe("Shown only here. svcm keeps its digest.") })
  .describe("A new token.");

export const revokedTokenBody = z.strictObject({ name: z.string() }).describe("The token that is not valid any more.");

export type IdentityResponse = BodyOf<typeof identityBody>;
export type TokenListResponse = BodyOf<typeof tokenListBody>;
export type CreatedToken = BodyOf<typeof createdTokenBody>;
