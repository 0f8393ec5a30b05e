import type { Sample, WatchRequest } from "../telemetry.ts";

/** The place of one watcher. It holds the newest sample only. */
export class Seat {
  readonly request: WatchRequest & { readonly environment: string };
  #servedAtMs = Number.NEGATIVE_INFINITY;
  #sample: Sample | undefined;
  #failure: { readonly error: unknown } | undefined;
  #hasEnded = false;
  #wake: (() => void) | undefined;

  constructor(request: WatchRequest & { readonly environment: string }) {
    this.request = request;
  }

  /** True if it gets a sample of this tick; half a tick too early is in time. */
  isDue(nowMs: number, tickMs: number): boolean {
    return nowMs - this.#servedAtMs >= this.request.intervalMs - tickMs / 2;
  }

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
