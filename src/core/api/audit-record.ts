import * as z from "zod";
import { type BodyOf, trustedText } from "./body.ts";
import type { ErrorCode } from "./issue.ts";
import { auditOutcomes, auditSources } from "./names.ts";

const auditedProcess = z.strictObject({
  name: z.string(),
  pmId: z.int().nullable().describe("PM2's number; null for a declared app that PM2 did not know yet."),
  pm2Home: z.string().describe("Absolute path of its PM2_HOME."),
});

/**
 * A mutation leaves two lines with the same `id`: `started`, synced before the first effect, and the outcome. A
 * `started` line alone is an interrupted mutation; an attempt that never begins leaves one line, `refused`.
 * @see CONTRACT section 8
 */
export const auditRecord = z
  .strictObject({
    id: z.string(),
    timestamp: z.iso.datetime(),
    action: z.string().describe("For example `env.write`."),
    environment: z.string().optional().describe("Canonical name; absent if the action does not concern one."),
    service: z.string().optional(),
    keys: z.array(z.string()).optional().describe("Names of the changed keys; never a value."),
    processes: z
      .array(auditedProcess)
      .optional()
      .describe("Every process that the action touched or would have touched."),
    target: z
      .string()
      .optional()
      .describe("The subject, if it is neither a key nor a process: an entry, a namespace, an unknown name."),
    source: z.enum(auditSources),
    actor: z.string().optional().describe("A user of the system, the name of a token, or `anonymous`."),
    client: z.string().max(64).optional().describe("The name that the client program gave itself. Nothing proves it."),
    address: z.string().optional().describe("The client of an attempt without a valid token."),
    node: z.string().optional().describe("Name of the machine, if the record comes from another one."),
    outcome: z.enum(auditOutcomes),
    code: trustedText<ErrorCode>().optional().describe("Why it was refused or failed, or why nothing had to be done."),
    ms: z.int().min(0).optional().describe("Milliseconds from the attempt to its outcome."),
    count: z
      .int()
      .min(1)
      .optional()
      .describe("Number of equal refusals that the record represents; 1 if it is absent."),
  })
  .describe(
    "One attempt to change something. A record that stayed `started` was cut off; a `refused` one changed nothing.",
  );

export type AuditRecord = BodyOf<typeof auditRecord>;
export type AuditedProcess = BodyOf<typeof auditedProcess>;
