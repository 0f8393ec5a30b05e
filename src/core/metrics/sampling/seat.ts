import { Mailbox } from "../../words/mailbox.ts";
import type { Sample, WatchRequest } from "../telemetry.ts";

/** The place of one watcher. It holds the newest sample only. */
export class Seat extends Mailbox<Sample> {
  readonly request: WatchRequest & { readonly environment: string };
  #servedAtMs = Number.NEGATIVE_INFINITY;

  constructor(request: WatchRequest & { readonly environment: string }) {
    super();
    this.request = request;
  }

  /** True if it gets a sample of this tick; half a tick too early is in time. */
  isDue(nowMs: number, tickMs: number): boolean {
    return nowMs - this.#servedAtMs >= this.request.intervalMs - tickMs / 2;
  }

  serve(sample: Sample, nowMs: number): void {
    this.put(sample);
    this.#servedAtMs = nowMs;
  }
}
