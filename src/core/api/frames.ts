/**
 * JSON text, one object each. The AsyncAPI description and the types of `svcm/client` derive from these schemas.
 * @see CONTRACT section 4
 */
import * as z from "zod/mini";
import { type BodyOf, issueBody } from "./body.ts";
import { interval } from "./channel.ts";
import { historyColumns } from "./history.ts";
import { changedMembers, hostPayload, metricsPayload } from "./metrics.ts";
import {
  channelActions,
  processScopes,
  releaseOutcomes,
  stepKinds,
  stepPhases,
  causes,
  logLevels,
  logStreams,
} from "./names.ts";
import { eventBody } from "./events.ts";
import { logLineBody, logProblemBody } from "./logs.ts";

const environment = z.string().check(z.describe("The requested environment, trimmed and lower-cased."));
const action = z.enum(channelActions);
const scope = z.enum(processScopes);
const pmId = z.optional(z.int().check(z.minimum(0), z.describe("PM2's own number of the process.")));
const affected = z.strictObject({
  name: z.string(),
  pmId: z.int(),
  namespace: z.string(),
  pid: z.nullable(z.int()),
  status: z.string().check(z.describe("PM2's word after the action.")),
});
const skipped = z.strictObject({
  name: z.string(),
  pmId: z.int(),
  namespace: z.string(),
  reason: z.string().check(z.describe("For example `ALREADY_STOPPED`; `svcm explain <code>` says more.")),
});

export const boundedText = (max: number) => z.string().check(z.minLength(1), z.maxLength(max));

const service = z.optional(
  boundedText(200).check(z.describe("A service of svcm.yaml; without one, the apps of all services count.")),
);

export const node = z.optional(
  boundedText(64).check(
    z.describe("Another machine of the fleet, by its name in svcm.yaml; without one, this machine."),
  ),
);

export const token = z.optional(
  boundedText(4096).check(
    z.describe("The value of SVC_SERVICE_MANAGEMENT_AUTH_TOKEN, if the upgrade did not carry it."),
  ),
);

export const requestId = z.optional(
  boundedText(64).check(z.describe("Chosen by the client; the answer to this frame carries it back.")),
);

export const subscribeFrame = z
  .strictObject({
    type: z.literal("subscribe"),
    environment: z.optional(
      boundedText(80).check(
        z.describe("A spelling of an environment. Defaults to NODE_ENV, then to that of the machine, then to dev."),
      ),
    ),
    service,
    intervalMs: z.optional(
      z
        .int()
        .check(
          z.minimum(interval.min),
          z.maximum(interval.max),
          z.describe(`Time between two frames; ${interval.default} if it is absent.`),
        ),
    ),
    asyncContext: z.optional(z.boolean().check(z.describe("Ask each managed process for its async-context metrics."))),
    history: z.optional(z.boolean().check(z.describe("False leaves out the recorded hour."))),
    changes: z.optional(z.boolean().check(z.describe("Allows `changes` in place of `metrics`."))),
    node,
    token,
    requestId,
  })
  .check(
    z.describe(
      "Subscribes to metrics and replaces an earlier subscription. If it is refused, the earlier one stays. Another machine is asked every two seconds.",
    ),
  );

export const unsubscribeFrame = z
  .strictObject({ type: z.literal("unsubscribe") })
  .check(z.describe("Ends the subscription."));

export const pingFrame = z.strictObject({ type: z.literal("ping") }).check(z.describe("Answered with `pong`."));

export const actionFrame = z
  .strictObject({
    type: z.literal("action"),
    action,
    scope: z.optional(scope.check(z.describe("`process` if it is absent. `ecosystem` starts a declared app."))),
    name: z.optional(boundedText(200).check(z.describe("Name of the process, or of the declared app."))),
    pmId,
    namespace: z.optional(boundedText(200)),
    service,
    node,
    token,
    requestId,
  })
  .check(z.describe("Starts, stops or restarts. Answered with `action-result`."));

export const subscribedFrame = z
  .strictObject({ type: z.literal("subscribed"), environment, intervalMs: z.int() })
  .check(z.describe("A subscription is in place; its first `metrics` follows at once."));

export const pongFrame = z.strictObject({ type: z.literal("pong") }).check(z.describe("Answers `ping`."));

export const metricsFrame = z
  .strictObject({ type: z.literal("metrics"), payload: metricsPayload })
  .check(z.describe("The processes and the host at one moment. A slow reader misses frames, never the latest."));

export const changesFrame = z
  .strictObject({ type: z.literal("changes"), payload: changedMembers, processes: z.array(changedMembers) })
  .check(z.describe("A `metrics` as its difference from the last frame: members of the payload, and of each process."));

export const historyFrame = z
  .strictObject({ type: z.literal("history"), payload: historyColumns })
  .check(
    z.describe(
      "CPU and memory of the last hour, sent before the first `metrics` of a subscription if it was recorded.",
    ),
  );

export const hostFrame = z
  .strictObject({ type: z.literal("host"), payload: hostPayload })
  .check(z.describe("Sent with an `error` instead of `metrics` while PM2 cannot be read."));

export const errorFrame = z
  .strictObject({
    type: z.literal("error"),
    code: z.string().check(z.describe("Stable, for example `PM2_NOT_RUNNING` or `INVALID_SUBSCRIPTION`.")),
    details: z.string().check(z.describe("The problem, and the accepted values. Never a secret.")),
    error: z.optional(z.string().check(z.describe("`Unauthorized.` beside the code `UNAUTHORIZED`."))),
    requestId,
  })
  .check(z.describe("A frame was refused, or PM2 cannot be read."));

export const actionResultFrame = z
  .strictObject({
    type: z.literal("action-result"),
    ok: z.boolean().check(z.describe("True only after PM2's own list shows it.")),
    action,
    scope,
    name: z
      .string()
      .check(
        z.describe(
          "The subject of the action: a process, a namespace or a declared app; `*` for every declared app, `(not given)` if the frame names nothing.",
        ),
      ),
    pmId,
    affected: z.optional(z.array(affected)),
    skipped: z.optional(z.array(skipped).check(z.describe("Left alone, such as the process that serves the request."))),
    applied: z.optional(
      z
        .array(z.strictObject({ name: z.string(), field: z.string(), key: z.nullable(z.string()) }))
        .check(z.describe("Fields of the ecosystem file that a restart made effective; `key` names a variable.")),
    ),
    warnings: z.optional(
      z.array(issueBody).check(z.describe("Partly completed steps: each has its code and the app.")),
    ),
    code: z.optional(z.string().check(z.describe("Stable, for example `PROCESS_NOT_FOUND`."))),
    error: z.optional(z.string().check(z.describe("The failure."))),
    requestId,
  })
  .check(z.describe("The outcome of an `action`, refused and failed ones included."));

export const applyFrame = z
  .strictObject({
    type: z.literal("apply"),
    release: z.string().check(z.describe("Id of the release.")),
    step: z.int().check(z.minimum(1), z.describe("Position of the step, from 1.")),
    of: z.int().check(z.minimum(1), z.describe("Number of steps.")),
    do: z.enum([...stepKinds, "return"]),
    app: z.string(),
    phase: z.enum(stepPhases),
    reason: z.optional(z.string().check(z.describe("Why the step failed, even if the app runs as before again."))),
    outcome: z.optional(z.enum(releaseOutcomes).check(z.describe("Only in the last frame of a release."))),
    code: z.optional(z.string().check(z.describe("Why it was reverted or is half."))),
  })
  .check(
    z.describe("A step of an apply or a rollback over HTTP, to every subscriber. GET /api/runtime/releases has all."),
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

export const clientFrames = {
  subscribe: subscribeFrame,
  unsubscribe: unsubscribeFrame,
  ping: pingFrame,
  action: actionFrame,
  "logs.subscribe": logsSubscribeFrame,
  "logs.unsubscribe": logsUnsubscribeFrame,
  "events.subscribe": eventsSubscribeFrame,
  "events.unsubscribe": eventsUnsubscribeFrame,
} as const;

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

export const eventsSubscribedFrame = z
  .strictObject({ type: z.literal("events.subscribed"), requestId })
  .check(z.describe("A subscription of events is in place."));

export const eventFrame = z
  .strictObject({ type: z.literal("event"), event: eventBody })
  .check(z.describe("One event, a few seconds after it happened, because its cause may be known only then."));

export const serverFrames = {
  subscribed: subscribedFrame,
  pong: pongFrame,
  history: historyFrame,
  metrics: metricsFrame,
  changes: changesFrame,
  host: hostFrame,
  error: errorFrame,
  "action-result": actionResultFrame,
  apply: applyFrame,
  logs: logsFrame,
  "events.subscribed": eventsSubscribedFrame,
  event: eventFrame,
} as const;

export type SubscribeFrame = BodyOf<typeof subscribeFrame>;
export type LogsSubscribeFrame = BodyOf<typeof logsSubscribeFrame>;
export type LogsFrame = BodyOf<typeof logsFrame>;
export type EventsSubscribeFrame = BodyOf<typeof eventsSubscribeFrame>;
export type ActionFrame = BodyOf<typeof actionFrame>;
export type ActionResultFrame = BodyOf<typeof actionResultFrame>;
export type ApplyFrame = BodyOf<typeof applyFrame>;
export type ChangesFrame = BodyOf<typeof changesFrame>;
export type ErrorFrame = BodyOf<typeof errorFrame>;
export type ClientFrame = FrameOf<typeof clientFrames>;
export type ServerFrame = FrameOf<typeof serverFrames>;
type FrameOf<Frames extends Readonly<Record<string, z.ZodMiniType>>> = BodyOf<Frames[keyof Frames]>;
