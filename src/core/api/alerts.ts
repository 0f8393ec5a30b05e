import * as z from "zod";
import type { BodyOf } from "./body.ts";
import { alertRules, alertStates } from "./names.ts";

/** Contains no environment values. */
export const alertMessage = z
  .strictObject({
    version: z.literal(1),
    text: z.string().describe("The whole message in one line; chat services show it."),
    state: z.enum(alertStates),
    rule: z.enum(alertRules).nullable().describe("Null in a test message."),
    subject: z.string(),
    details: z.string(),
    host: z.string().describe("Host name of the machine."),
    workspace: z.string().describe("Absolute path of the repository."),
    at: z.iso.datetime(),
    since: z.iso.datetime().describe("The first moment of the condition."),
    leftOut: z.int().min(0).describe("Messages before this one that were left out, because too many had been sent."),
  })
  .describe("An alert.");

export type AlertMessage = BodyOf<typeof alertMessage>;
