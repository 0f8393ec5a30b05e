import type { Sample, WatchRequest } from "../telemetry.ts";

/** A place of one watcher: holds at most one sample, the newest. */
export class Seat {
  readonly request: WatchRequest & { readonly environment: string };
  /** On the clock of the sampler; before the first sample it is due at once. */
  #servedAtMs = Number.NEGATIVE_INFINITY;
  #sample: Sample | undefined;
  #failure: { readonly error: unknown } | undefined;
  #hasEnded = false;
  #wake: (() => void) | undefined;

  constructor(request: WatchRequest & { readonly environment: string }) {
    this.request = request;
  }

  /** Whether it should get a sample of this tick; one that comes half a tick early is in time. */
  isDue(nowMs: number, tickMs: number): boolean {
    return nowMs - this.#servedAtMs >= this.request.intervalMs - tickMs / 2;
  }

  /** Puts the newest sample in the place of one that was not fetched. */
  serve(sample: Sample, nowMs: number): void {
    this.#sample = sample;
    this.#servedAtMs = nowMs;
    this.#wake?.();
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.#wake?.();
  }

  end(): void {
    this.#hasEnded = true;
    this.#wake?.();
  }

  /** The next sample; undefined at the end. @throws what `fail` was given */
  async next(): Promise<Sample | undefined> {
    while (!this.#hasEnded && this.#failure === undefined && this.#sample === undefined)
      await new Promise<void>((wake) => (this.#wake = wake));
    if (this.#hasEnded) return undefined;
    if (this.#failure !== undefined) throw this.#failure.error;
    const sample = this.#sample;
    this.#sample = undefined;
    return sample;
  }
}
