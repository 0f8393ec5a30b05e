import {
  type Caller,
  describeError,
  type EventFeed,
  type EventFilter,
  execute,
  failureCode,
  historyShow,
  type Ports,
  type Sample,
  SvcmError,
  type Telemetry,
} from "../../core/index.ts";
import { errorStack } from "../../core/words/thrown.ts";
import type { ServerLog } from "../log.ts";
import { changesBetween } from "./changes.ts";
import { type Peer, SharedMessage } from "./peer.ts";
import type { ServerFrame } from "../../core/api/frames.ts";
import { toJson } from "../response.ts";

export interface MetricsSubscription {
  readonly environment: string;
  readonly service?: string | undefined;
  readonly intervalMs: number;
  readonly asyncContext: boolean;
  readonly history: boolean;
  /** A sample may be sent as its difference from the one before it. */
  readonly changes: boolean;
  readonly node?: string | undefined;
}

export interface StreamContext {
  readonly telemetry: Telemetry;
  readonly eventFeed: EventFeed;
  readonly sampleMessages: SampleMessages;
  readonly recordedHour: RecordedHour;
  readonly log: ServerLog;
}

/** Sends the recorded hour first, then samples. A failure becomes an error frame. */
export function streamMetrics(
  streaming: StreamContext,
  peer: Peer,
  subscription: MetricsSubscription,
  signal: AbortSignal,
): Promise<void> {
  const { telemetry, sampleMessages, recordedHour } = streaming;
  return reportErrors(streaming, peer, async () => {
    const recorded = subscription.history ? await recordedHour() : undefined;
    if (recorded !== undefined && !signal.aborted) peer.offer([recorded]);
    let last: Sample | undefined;
    for await (const sample of telemetry.watch(subscription, signal)) {
      if (signal.aborted) return;
      const wasSent = peer.offer(sampleMessages(sample, subscription.changes ? last : undefined));
      if (wasSent) last = sample;
    }
  });
}

export function streamEvents(
  streaming: StreamContext,
  peer: Peer,
  filter: EventFilter,
  signal: AbortSignal,
): Promise<void> {
  return reportErrors(streaming, peer, async () => {
    for await (const event of streaming.eventFeed.watch(signal, filter)) {
      if (!signal.aborted) peer.send({ type: "event", event });
    }
  });
}

export async function reportErrors(
  { log }: Pick<StreamContext, "log">,
  peer: Peer,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { body } = describeError(error);
    if (!(error instanceof SvcmError)) log.error({ stack: errorStack(error) }, "stream failed");
    peer.send({ type: "error", code: failureCode(error), details: body.details ?? body.error });
  }
}

type SampleMessages = (sample: Sample, before?: Sample) => readonly SharedMessage[];

/** Serialises and compresses each sample, and each difference of two samples, once for all clients. */
export function createSampleMessages(): SampleMessages {
  const whole = remember((sample: Sample) => toMessages(toFrames(sample)));
  const differences = remember((sample: Sample) =>
    remember((before: Sample) => {
      const frame = difference(before, sample);
      return frame === undefined ? whole(sample) : toMessages([frame]);
    }),
  );
  return (sample, before) => (before === undefined ? whole(sample) : differences(sample)(before));
}

function remember<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, Value>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

function toMessages(frames: readonly ServerFrame[]): SharedMessage[] {
  return frames.map((frame) => new SharedMessage(toJson(frame)));
}

function difference(before: Sample, now: Sample): ServerFrame | undefined {
  if (before.kind !== "metrics" || now.kind !== "metrics") return undefined;
  return changesBetween(before.payload, now.payload);
}

function toFrames(sample: Sample): ServerFrame[] {
  if (sample.kind === "metrics") return [{ type: "metrics", payload: sample.payload }];
  const { payload, error } = sample;
  return [
    { type: "host", payload },
    { type: "error", ...error },
  ];
}

type RecordedHour = () => Promise<SharedMessage | undefined>;

const SERIES = "host,*:cpuPercent,*:memoryBytes";
/** One value for each 20 seconds. */
const POINTS = 180;
/** The recorder adds a step at this interval. */
const CACHE_MS = 10_000;

/** The session has already checked that the client may read. */
const reader: Caller = { source: "ws", grants: ["read"] };

/** Clients that subscribe within ten seconds share the result. */
export function createRecordedHour(ports: Ports): RecordedHour {
  let last: { readonly atMs: number; readonly message: ReturnType<RecordedHour> } | undefined;
  return () => {
    const atMs = ports.clock.elapsed();
    if (last === undefined || atMs - last.atMs >= CACHE_MS) last = { atMs, message: readHour(ports) };
    return last.message;
  };
}

/** If the history cannot be read, the client gets the metrics without it. */
async function readHour(ports: Ports): ReturnType<RecordedHour> {
  try {
    const { from, step, series, gaps } = await execute(historyShow, ports, { series: SERIES, points: POINTS }, reader);
    if (series.length === 0) return undefined;
    return new SharedMessage(toJson({ type: "history", payload: { from, step, series, gaps } }));
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    return undefined;
  }
}
