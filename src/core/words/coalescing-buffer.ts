/** Holds what a reader has not taken yet, as one item. */
export class CoalescingBuffer<Item> {
  readonly #joined: (missed: Item, item: Item) => Item;
  #item: { readonly value: Item } | undefined;
  #failure: { readonly error: unknown } | undefined;
  #hasEnded = false;
  #wake: (() => void) | undefined;

  /** @param joined makes one item of the one that a slow reader has not taken and the next; by default the newest */
  constructor(joined: (missed: Item, item: Item) => Item = (_missed, item) => item) {
    this.#joined = joined;
  }

  put(value: Item): void {
    this.#item = { value: this.#item === undefined ? value : this.#joined(this.#item.value, value) };
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

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for (let item = await this.next(); item !== undefined; item = await this.next()) yield item;
  }

  /** The next item; undefined at the end. @throws what `fail` was given, after the item before it */
  async next(): Promise<Item | undefined> {
    while (!this.#hasEnded && this.#failure === undefined && this.#item === undefined)
      await new Promise<void>((wake) => (this.#wake = wake));
    if (this.#hasEnded) return undefined;
    const item = this.#item;
    if (item === undefined) throw this.#failure?.error;
    this.#item = undefined;
    return item.value;
  }
}
