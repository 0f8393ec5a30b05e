import type { SvcmEvent } from "../api/events.ts";
import type { EventFilter } from "../events/page.ts";

/** New events as they happen. */
export interface EventFeed {
  /**
   * Yields events from now on, oldest first, a few seconds after they happened, because their cause may only be known
   * then. A slow reader misses the oldest ones.
   * @throws {SvcmError} EVENTS_FAILED, AUDIT_FAILED
   */
  watch(signal: AbortSignal, request: EventRequest): AsyncIterable<SvcmEvent>;
}

export interface EventRequest extends EventFilter {
  /** A whole second of the recent past, in milliseconds since 1970; the default is the time of the first read. */
  readonly fromMs?: number;
}
