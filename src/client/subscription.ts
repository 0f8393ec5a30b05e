import type { EventOptions, LogsOptions } from "./api.ts";
import type { ClientFrame, LogsFrame } from "./frames.generated.ts";
import { latest, type Latest, type Overflow } from "./latest.ts";

/** A subscription without its items. */
export type Stream = Pick<Subscription<never>, "requestId" | "begin" | "departure" | "end">;

/** A slow reader of logs loses the oldest lines, and gets their number. */
export const OF_LOGS: Overflow<LogsFrame> = {
  most: 50,
  dropped: ({ skipped, lines }, next) => ({ ...next, skipped: next.skipped + skipped + lines.length }),
};

interface Asked<Item> {
  readonly what: "logs" | "events";
  readonly options: LogsOptions | EventOptions;
  /** Identifies the answers to this subscription. */
  readonly requestId: string;
  readonly onLeave: (left: Subscription<Item>) => void;
  readonly overflow?: Overflow<Item>;
}

/** Logs or events: each item in its order. */
export class Subscription<Item> implements AsyncIterable<Item> {
  readonly requestId: string;
  readonly begin: ClientFrame;
  readonly departure: ClientFrame;
  readonly #items: Latest<Item>;
  #count = 0;

  constructor({ what, options, requestId, onLeave, overflow }: Asked<Item>) {
    const { signal, ...asked } = options;
    this.requestId = requestId;
    this.begin = { type: `${what}.subscribe`, ...asked, requestId };
    this.departure = { type: `${what}.unsubscribe` };
    this.#items = latest(() => onLeave(this), overflow);
    signal?.addEventListener("abort", () => this.end(), { once: true });
    if (signal?.aborted) this.end();
  }

  put(item: Item): void {
    this.#items.put(String((this.#count += 1)), item);
  }

  end(error?: unknown): void {
    this.#items.end(error);
  }

  [Symbol.asyncIterator](): AsyncIterator<Item> {
    return this.#items[Symbol.asyncIterator]();
  }
}
