import {
  describeError,
  failureCode,
  SvcmError,
  type EventFeed,
  type EventFilter,
  type Telemetry,
} from "../../core/index.ts";
import { stackOf } from "../../core/words/thrown.ts";
import type { ServerLog } from "../log.ts";
import type { Peer } from "./peer.ts";
import type { RecordedHour } from "./recorded-hour.ts";
import type { SampleFrames } from "./samples.ts";

export interface Subscribed {
  readonly environment: string;
  readonly service?: string | undefined;
  readonly intervalMs: number;
  readonly asyncContext: boolean;
  readonly history: boolean;
  /** Another machine. */
  readonly node?: string | undefined;
}

export interface Streaming {
  readonly telemetry: Telemetry;
  readonly eventFeed: EventFeed;
  readonly framesOf: SampleFrames;
  readonly recordedHour: RecordedHour;
  readonly log: ServerLog;
}

/** Sends the recorded hour, then samples until the signal is aborted. If the stream fails, the client gets an error frame. */
export function stream(streaming: Streaming, peer: Peer, asked: Subscribed, signal: AbortSignal): Promise<void> {
  const { telemetry, framesOf, recordedHour } = streaming;
  return reporting(streaming, peer, async () => {
    const recorded = asked.history ? await recordedHour() : undefined;
    if (recorded !== undefined && !signal.aborted) peer.offer([recorded]);
    for await (const sample of telemetry.watch(asked, signal)) {
      if (signal.aborted) return;
      peer.offer(framesOf(sample));
    }
  });
}

/** The same for events. */
export function streamEvents(
  streaming: Streaming,
  peer: Peer,
  filter: EventFilter,
  signal: AbortSignal,
): Promise<void> {
  return reporting(streaming, peer, async () => {
    for await (const event of streaming.eventFeed.watch(signal, filter)) {
      if (!signal.aborted) peer.send({ type: "event", event });
    }
  });
}

/** If the work fails, the client gets an error frame. */
export async function reporting({ log }: Pick<Streaming, "log">, peer: Peer, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { body } = describeError(error);
    if (!(error instanceof SvcmError)) log.error({ stack: stackOf(error) }, "stream failed");
    peer.send({ type: "error", code: failureCode(error), details: body.details ?? body.error });
  }
}
