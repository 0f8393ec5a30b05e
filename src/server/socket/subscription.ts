import { describeError, failureCode, SvcmError, type Telemetry } from "../../core/index.ts";
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
}

export interface Streaming {
  readonly telemetry: Telemetry;
  readonly framesOf: SampleFrames;
  readonly recordedHour: RecordedHour;
  readonly log: ServerLog;
}

/** Sends the recorded hour, then samples until the signal is aborted. If the stream fails, the client gets an error frame. */
export async function stream(
  { telemetry, framesOf, recordedHour, log }: Streaming,
  peer: Peer,
  asked: Subscribed,
  signal: AbortSignal,
): Promise<void> {
  try {
    const recorded = asked.history ? await recordedHour() : undefined;
    if (recorded !== undefined && !signal.aborted) peer.offer([recorded]);
    for await (const sample of telemetry.watch(asked, signal)) {
      if (signal.aborted) return;
      peer.offer(framesOf(sample));
    }
  } catch (error) {
    const { body } = describeError(error);
    if (!(error instanceof SvcmError)) log.error({ stack: stackOf(error) }, "stream failed");
    peer.send({ type: "error", code: failureCode(error), details: body.details ?? body.error });
  }
}
