import type { LogsOptions } from "./api.ts";
import type { ClientFrame, LogsFrame } from "./frames.generated.ts";

/** A reader that does not read keeps no more frames. */
const MOST_FRAMES = 50;

/** A subscription to logs: its frames in their order. A slow reader loses the oldest, and gets their number. */
export class LogLines implements AsyncIterable<LogsFrame> {
  readonly subscription: ClientFrame;
  readonly departure = { type: "logs.unsubscribe" } as const;
  /** Identifies the answers to this subscription. */
  readonly requestId: string;
  readonly #onLeave: (lines: LogLines) => void;
  readonly #frames: LogsFrame[] = [];
  #ended: { readonly error?: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(options: LogsOptions, requestId: string, onLeave: (lines: LogLines) => void) {
    this.requestId = requestId;
    const { signal: _signal, ...asked } = options;
    this.subscription = { type: "logs.subscribe", ...asked, requestId };
    this.#onLeave = onLeave;
    options.signal?.addEventListener("abort", () => this.end(), { once: true });
    if (options.signal?.aborted) this.end();
  }

  put(frame: LogsFrame): void {
    const lost = this.#frames.length < MOST_FRAMES ? undefined : this.#frames.shift();
    const [next] = this.#frames;
    if (lost && next) this.#frames[0] = { ...next, skipped: next.skipped + lost.skipped + lost.lines.length };
    this.#frames.push(frame);
    this.#wake?.();
  }

  end(error?: unknown): void {
    this.#ended ??= { error };
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<LogsFrame> {
    try {
      for (;;) {
        const frame = this.#frames.shift();
        if (frame !== undefined) yield frame;
        else if (this.#ended === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
        else if (this.#ended.error === undefined) return;
        else throw this.#ended.error;
      }
    } finally {
      this.#onLeave(this);
    }
  }
}
