import type { SvcmEvent } from "../api/events.ts";
import type { EventFilter } from "../events/page.ts";

/** New events as they happen. */
export interface EventFeed {
  /**
   * Events from now on, the oldest first, a few seconds after they happened, because their cause may be known only then.
   * A slow reader misses the oldest ones.
   * @throws {SvcmError} EVENTS_FAILED, AUDIT_FAILED
   */
  watch(signal: AbortSignal, wanted: EventRequest): AsyncIterable<SvcmEvent>;
}

export interface EventRequest extends EventFilter {
  /** A whole second of the present, in milliseconds since 1970; by default that of the first read. */
  readonly fromMs?: number;
}
