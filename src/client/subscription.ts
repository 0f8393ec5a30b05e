import type { EventOptions, LogsOptions } from "./api.ts";
import type { ClientFrame, LogsFrame, MetricsFrame, ServerFrame } from "./frames.generated.ts";

/** The part of a subscription that does not depend on its items. */
export type Stream = Pick<Subscription<never>, "requestId" | "subscribeFrame" | "unsubscribeFrame" | "end">;

/** A slow reader of logs loses the oldest lines; a frame has their number. */
export const LOG_OVERFLOW: Overflow<LogsFrame> = {
  maxUnread: 50,
  merge: ({ skipped, lines }, next) => ({ ...next, skipped: next.skipped + skipped + lines.length }),
};

interface SubscriptionOptions<Item> {
  readonly topic: "logs" | "events";
  readonly options: LogsOptions | EventOptions;
  /** Identifies the responses to this subscription. */
  readonly requestId: string;
  readonly onReturn: (subscription: Subscription<Item>) => void;
  readonly overflow?: Overflow<Item>;
}

/** A subscription to logs or events, whose items arrive in order. */
export class Subscription<Item> implements AsyncIterable<Item> {
  readonly requestId: string;
  readonly subscribeFrame: ClientFrame;
  readonly unsubscribeFrame: ClientFrame;
  readonly #items: Latest<Item>;
  #count = 0;

  constructor({ topic, options, requestId, onReturn, overflow }: SubscriptionOptions<Item>) {
    const { signal, ...filter } = options;
    this.requestId = requestId;
    this.subscribeFrame = { type: `${topic}.subscribe`, ...filter, requestId };
    this.unsubscribeFrame = { type: `${topic}.unsubscribe` };
    this.#items = latest(() => onReturn(this), overflow);
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

/** Passes values to an iterator. A slow reader gets the newest value of each kind, in order. */
export interface Latest<T> extends AsyncIterable<T> {
  /** Replaces the unread value of its kind. */
  put(kind: string, value: T): void;
  /** Ends the iteration after the last value, with an error if one is given. */
  end(error?: unknown): void;
}

/** Limits the number of unread values. */
interface Overflow<T> {
  readonly maxUnread: number;
  /** Returns the second oldest value, changed to account for the dropped one. */
  readonly merge: (oldest: T, next: T) => T;
}

/** @param onReturn called when the reader stops, on its own or after `end` */
export function latest<T>(onReturn: () => void, overflow?: Overflow<T>): Latest<T> {
  const unread = new Map<string, T>();
  let ended: { readonly error?: unknown } | undefined;
  let wake: (() => void) | undefined;
  return {
    put(kind, value) {
      if (ended !== undefined) return;
      unread.delete(kind);
      unread.set(kind, value);
      const [oldest, next] = unread;
      if (overflow && oldest && next && unread.size > overflow.maxUnread) {
        unread.delete(oldest[0]);
        unread.set(next[0], overflow.merge(oldest[1], next[1]));
      }
      wake?.();
    },
    end(error) {
      ended ??= { error };
      wake?.();
    },
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          const [next] = unread;
          if (next !== undefined) {
            unread.delete(next[0]);
            yield next[1];
          } else if (ended === undefined) await new Promise<void>((resolve) => (wake = resolve));
          else if (ended.error === undefined) return;
          else throw ended.error;
        }
      } finally {
        onReturn();
      }
    },
  };
}

/** Returns a function that makes a frame of changes whole again, with the metrics before it. */
export function joinChanges(): (frame: ServerFrame) => ServerFrame {
  let last: MetricsFrame["payload"] | undefined;
  return (frame) => {
    if (frame.type === "metrics") last = frame.payload;
    if (frame.type !== "changes" || last === undefined) return frame;
    const processes = last.processes.map((process, at) => ({ ...process, ...frame.processes[at] }));
    last = { ...last, ...frame.payload, processes };
    return { type: "metrics", payload: last };
  };
}
