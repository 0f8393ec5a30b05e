import type { EventOptions, SvcmEvent } from "./api.ts";
import type { ClientFrame, EventFrame } from "./frames.generated.ts";
import { latest } from "./latest.ts";

/** A subscription to events: each one in its order. */
export class EventLines implements AsyncIterable<SvcmEvent> {
  readonly subscription: ClientFrame;
  readonly departure = { type: "events.unsubscribe" } as const;
  /** Identifies the answers to this subscription. */
  readonly requestId: string;
  readonly #events;
  #count = 0;

  constructor({ signal, ...asked }: EventOptions, requestId: string, onLeave: (lines: EventLines) => void) {
    this.requestId = requestId;
    this.subscription = { type: "events.subscribe", ...asked, requestId };
    this.#events = latest<SvcmEvent>(() => onLeave(this));
    signal?.addEventListener("abort", () => this.end(), { once: true });
    if (signal?.aborted) this.end();
  }

  put({ event }: EventFrame): void {
    this.#events.put(String((this.#count += 1)), event);
  }

  end(error?: unknown): void {
    this.#events.end(error);
  }

  [Symbol.asyncIterator](): AsyncIterator<SvcmEvent> {
    return this.#events[Symbol.asyncIterator]();
  }
}
