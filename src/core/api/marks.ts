import * as z from "zod";
import type { BodyOf } from "./body.ts";

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
