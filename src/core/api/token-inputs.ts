import * as z from "zod/mini";
import { roles, tokenNames } from "./rights.ts";

const tokenName = z.string().check(z.regex(tokenNames));
const limits = z.array(z.string().check(z.minLength(1), z.maxLength(80))).check(z.minLength(1), z.maxLength(50));

export const tokenInputs = {
  /** `expiresInMs` counts from now. Without `environments` or `services`, the token is not limited to any. `propose` lets it
   * propose changes that a user approves. */
  "token.create": z.strictObject({
    name: tokenName,
    role: z.enum(roles),
    environments: z.optional(limits),
    services: z.optional(limits),
    propose: z.optional(z.boolean()),
    expiresInMs: z.optional(z.int().check(z.minimum(60_000), z.maximum(3650 * 86_400_000))),
  }),
  "token.list": z.strictObject({}),
  "token.revoke": z.strictObject({ name: tokenName }),
} as const;
