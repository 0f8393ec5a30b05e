import * as z from "zod";
import type { BodyOf } from "./body-of.ts";
import { causes, certainties, eventKinds } from "./names.ts";

export const eventBody = z
  .strictObject({
    at: z.iso.datetime().describe("To the second, because PM2's log has no more."),
    app: z.string().nullable().describe("Name of the process; null for PM2's daemon and for changes of files."),
    pmId: z.int().optional().describe("PM2's number of the process."),
    kind: z
      .enum(eventKinds)
      .describe(
        "`exit`: it ended without an order. `stop`, `restart`: it ended on an order. `action`, `write`: svcm's audit log " +
          "has it. `daemon`: PM2 itself started or stopped.",
      ),
    cause: z.enum(causes),
    certainty: z.enum(certainties).describe("`certain` if the evidence has no other explanation."),
    evidence: z
      .array(z.string())
      .describe("Sentences, the most important first. They hold no value of an environment."),
    exitCode: z.int().optional().describe("Absent if a signal ended the process."),
    signal: z.string().optional(),
    actor: z.string().optional().describe("A user or token, and the face of svcm."),
  })
  .describe("One event.");

const complete = z.boolean().describe("False if older events may exist behind the part of PM2's log that is read.");

export const eventsBody = z
  .strictObject({
    events: z.array(eventBody).describe("Newest first."),
    next: z.string().nullable().describe("The cursor of the next page; null on the last one."),
    complete,
  })
  .describe("Events, newest first.");

export const whyBody = z
  .strictObject({
    app: z.string(),
    event: eventBody.nullable().describe("The last end; null if PM2's log does not have one."),
    recentEnds: z.int().min(0).describe("Ends without an order in the 15 minutes up to the last end."),
    errorLines: z
      .array(z.string())
      .describe("The last lines of its error log, without known secrets; empty if they cannot be shown safely."),
    complete,
  })
  .describe("When and why a process last ended.");

export type SvcmEvent = BodyOf<typeof eventBody>;
export type EventsResponse = BodyOf<typeof eventsBody>;
export type WhyResponse = BodyOf<typeof whyBody>;
