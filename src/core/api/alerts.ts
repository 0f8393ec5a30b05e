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
    leftOut: z
      .int()
      .min(0)
      .describe(
        "Conditions before this message that ended while their own message waited, because too many had been sent.",
      ),
  })
  .describe("An alert.");

export type AlertMessage = BodyOf<typeof alertMessage>;

const made = { by: z.string().describe("The name of the token, or the user of the system."), at: z.iso.datetime() };

const markBody = z
  .strictObject({
    subject: z.string().describe("An app, a mount point, `PM2` or `reboot`, as in an alert."),
    mute: z
      .strictObject({
        ...made,
        kinds: z.array(z.string()).describe("The kinds of trouble that are muted; any other kind is not."),
        until: z.iso.datetime(),
        reason: z.string().optional(),
      })
      .optional()
      .describe("It ends by itself."),
    note: z.strictObject({ ...made, text: z.string() }).optional(),
  })
  .describe("A mute or a note of a user about an app or an alert, for those who come next.");

export const markListBody = z
  .strictObject({ marks: z.array(markBody).describe("Without the mutes that have ended.") })
  .describe("The mutes and notes of the repository.");

export type Mark = BodyOf<typeof markBody>;
export type MarkListResponse = BodyOf<typeof markListBody>;
