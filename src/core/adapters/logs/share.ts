import type { LogBatch } from "../../ports/logs.ts";
import { CoalescingBuffer } from "../../words/coalescing-buffer.ts";
import type { WatchListener } from "./log-link.ts";

type Batch = Omit<LogBatch, "begin">;

export class Share implements WatchListener {
  readonly #subscribers = new Set<Subscriber>();
  readonly #onEmpty: () => void;

  constructor(onEmpty: () => void) {
    this.#onEmpty = onEmpty;
  }

  add(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber);
  }

  remove(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    if (this.#subscribers.size === 0) this.#onEmpty();
  }

  onBatch(batch: Batch): boolean {
    return [...this.#subscribers].map((subscriber) => subscriber.put(batch)).every(Boolean);
  }

  onEnd(error: Error): void {
    for (const subscriber of this.#subscribers) subscriber.fail(error);
  }
}

/** A slow reader loses the batch that it has not taken. */
export class Subscriber extends CoalescingBuffer<Batch> {
  readonly #onTaken: (() => void) | undefined;

  /** @param onTaken with it, the reader loses no line */
  constructor(onTaken?: () => void) {
    super((missed, { lines, skipped }) => ({ lines, skipped: skipped + missed.skipped + missed.lines.length }));
    this.#onTaken = onTaken;
  }

  /** False if the reader must take this batch before the next. */
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
