import type { LogBatch } from "../../ports/logs.ts";
import { Mailbox } from "../../words/mailbox.ts";
import type { WatchListener } from "./log-link.ts";

type Batch = Omit<LogBatch, "begin">;

/** The watches of one filter: every seat gets the same batches. */
export class Share implements WatchListener {
  readonly #seats = new Set<Seat>();
  readonly #onEmpty: () => void;

  constructor(onEmpty: () => void) {
    this.#onEmpty = onEmpty;
  }

  add(seat: Seat): void {
    this.#seats.add(seat);
  }

  remove(seat: Seat): void {
    this.#seats.delete(seat);
    if (this.#seats.size === 0) this.#onEmpty();
  }

  onBatch(batch: Batch): boolean {
    return [...this.#seats].map((seat) => seat.put(batch)).every(Boolean);
  }

  onEnd(error: Error): void {
    for (const seat of this.#seats) seat.fail(error);
  }
}

/** The place of one reader. A slow one loses the batch that it has not taken. */
export class Seat extends Mailbox<Batch> {
  readonly #onTaken: (() => void) | undefined;

  /** @param onTaken of a reader that loses no line: called when it has taken a batch */
  constructor(onTaken?: () => void) {
    super((missed, { lines, skipped }) => ({ lines, skipped: skipped + missed.skipped + missed.lines.length }));
    this.#onTaken = onTaken;
  }

  /** Returns false if the reader has to take this batch first. */
  override put(batch: Batch): boolean {
    super.put(batch);
    return this.#onTaken === undefined;
  }

  override async next(): Promise<Batch | undefined> {
    const batch = await super.next();
    if (batch !== undefined) this.#onTaken?.();
    return batch;
  }
}
