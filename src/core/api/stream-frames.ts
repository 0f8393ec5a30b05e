import * as z from "zod/mini";
import { eventBody } from "./events.ts";
import { logLineBody, logProblemBody } from "./logs.ts";
import { causes, logLevels, logStreams } from "./names.ts";

export const boundedText = (max: number) => z.string().check(z.minLength(1), z.maxLength(max));
export const requestId = z.optional(
  boundedText(64).check(z.describe("Chosen by the client; the answer to this frame carries it back.")),
);
export const token = z.optional(
  boundedText(4096).check(
    z.describe("The value of SVC_SERVICE_MANAGEMENT_AUTH_TOKEN, if the upgrade did not carry it."),
  ),
);
export const node = z.optional(
  boundedText(64).check(
    z.describe("Another machine of the fleet, by its name in svcm.yaml; without one, this machine."),
  ),
);

export const logsSubscribeFrame = z
  .strictObject({
    type: z.literal("logs.subscribe"),
    apps: z.optional(
      z.array(boundedText(200)).check(z.maxLength(200), z.describe("Names of processes; without one, every process.")),
    ),
    grep: z.optional(boundedText(1000).check(z.describe("Text of a line, as it is in the file."))),
    ignoreCase: z.optional(z.boolean()),
    level: z.optional(z.enum(logLevels).check(z.describe("The minimum level."))),
    stream: z.optional(z.enum(logStreams)),
    tail: z.optional(
      z.int().check(z.minimum(0), z.maximum(500), z.describe("Number of lines to begin with; 100 if it is absent.")),
    ),
    node,
    token,
    requestId,
  })
  .check(z.describe("Subscribes to the lines of logs and replaces an earlier subscription to logs."));

export const logsUnsubscribeFrame = z
  .strictObject({ type: z.literal("logs.unsubscribe") })
  .check(z.describe("Ends the subscription to logs."));

export const logsFrame = z
  .strictObject({
    type: z.literal("logs"),
    lines: z.array(logLineBody).check(z.describe("Oldest first; at most 500 and 256 KB.")),
    skipped: z.int().check(z.describe("Lines that were left out before these; the log files have them.")),
    begin: z.optional(
      z
        .strictObject({
          older: z
            .nullable(z.string())
            .check(z.describe("For `before` of `GET /api/logs`; null if there are no older lines.")),
          problems: z.array(logProblemBody).check(z.describe("Files that are not read.")),
        })
        .check(z.describe("Only in the first frame of a subscription.")),
    ),
  })
  .check(z.describe("Lines of logs, at most one frame in 100 ms."));

export const eventsSubscribeFrame = z
  .strictObject({
    type: z.literal("events.subscribe"),
    apps: z.optional(
      z.array(boundedText(200)).check(z.maxLength(100), z.describe("Names of processes; without any, every process.")),
    ),
    cause: z.optional(z.enum(causes)),
    token,
    requestId,
  })
  .check(z.describe("Subscribes to what happens from now on, and replaces an earlier subscription of events."));

export const eventsUnsubscribeFrame = z
  .strictObject({ type: z.literal("events.unsubscribe") })
  .check(z.describe("Ends the subscription of events."));

export const eventsSubscribedFrame = z
  .strictObject({ type: z.literal("events.subscribed"), requestId })
  .check(z.describe("A subscription of events is in place."));

export const eventFrame = z
  .strictObject({ type: z.literal("event"), event: eventBody })
  .check(z.describe("One event, a few seconds after it happened, because its cause may be known only then."));
