import type { LogBatch } from "../../ports/logs.ts";
import type { WatchListener } from "./log-link.ts";

type Batch = Omit<LogBatch, "begin">;

/** The watches of one filter: every seat gets the same batches. */
export class Share implements WatchListener {
  readonly #seats = new Set<Seat>();

  get isEmpty(): boolean {
    return this.#seats.size === 0;
  }

  add(seat: Seat): void {
    this.#seats.add(seat);
  }

  remove(seat: Seat): void {
    this.#seats.delete(seat);
  }

  onBatch(batch: Batch): boolean {
    return [...this.#seats].map((seat) => seat.put(batch)).every(Boolean);
  }

  onEnd(error: Error): void {
    for (const seat of this.#seats) seat.fail(error);
  }
}

/** The place of one reader. */
export class Seat {
  readonly #onTaken: (() => void) | undefined;
  #batch: Batch | undefined;
  #failure: Error | undefined;
  #hasEnded = false;
  #wake: (() => void) | undefined;

  /** @param onTaken of a reader that loses no line: called when it has taken a batch */
  constructor(onTaken?: () => void) {
    this.#onTaken = onTaken;
  }

  /** A slow reader loses the batch that it has not taken. Returns false if the reader has to take this one first. */
  put(batch: Batch): boolean {
    const missed = this.#batch;
    const skipped = missed && batch.skipped + missed.skipped + missed.lines.length;
    this.#batch = skipped === undefined ? batch : { lines: batch.lines, skipped };
    this.#wake?.();
    return this.#onTaken === undefined;
  }

  fail(error: Error): void {
    this.#failure = error;
    this.#wake?.();
  }

  end(): void {
    this.#hasEnded = true;
    this.#wake?.();
  }

  /** The next batch; undefined at the end. @throws what `fail` was given */
  async next(): Promise<Batch | undefined> {
    while (!this.#hasEnded && this.#failure === undefined && this.#batch === undefined)
      await new Promise<void>((wake) => (this.#wake = wake));
    if (this.#hasEnded) return undefined;
    if (this.#failure !== undefined) throw this.#failure;
    const batch = this.#batch;
    this.#batch = undefined;
    this.#onTaken?.();
    return batch;
  }
}
