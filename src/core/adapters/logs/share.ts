import type { LogBatch } from "../../ports/logs.ts";
import { Mailbox } from "../../words/mailbox.ts";
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

/** The place of one reader. A slow one loses the batch that it has not taken. */
export class Seat {
  readonly #onTaken: (() => void) | undefined;
  readonly #mailbox = new Mailbox<Batch>((missed, { lines, skipped }) => ({
    lines,
    skipped: skipped + missed.skipped + missed.lines.length,
  }));

  /** @param onTaken of a reader that loses no line: called when it has taken a batch */
  constructor(onTaken?: () => void) {
    this.#onTaken = onTaken;
  }

  /** Returns false if the reader has to take this batch first. */
  put(batch: Batch): boolean {
    this.#mailbox.put(batch);
    return this.#onTaken === undefined;
  }

  fail(error: Error): void {
    this.#mailbox.fail(error);
  }

  end(): void {
    this.#mailbox.end();
  }

  /** The next batch; undefined at the end. @throws what `fail` was given */
  async next(): Promise<Batch | undefined> {
    const batch = await this.#mailbox.next();
    if (batch !== undefined) this.#onTaken?.();
    return batch;
  }
}
