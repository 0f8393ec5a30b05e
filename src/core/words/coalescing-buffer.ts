/** Holds at most one item. Items that a slow reader has not taken are merged into one. */
export class CoalescingBuffer<Item> {
  readonly #merge: (pending: Item, item: Item) => Item;
  #item: { readonly value: Item } | undefined;
  #failure: { readonly error: unknown } | undefined;
  #hasEnded = false;
  #wake: (() => void) | undefined;

  /** @param merge by default, the newest item wins */
  constructor(merge: (pending: Item, item: Item) => Item = (_pending, item) => item) {
    this.#merge = merge;
  }

  put(value: Item): void {
    this.#item = { value: this.#item === undefined ? value : this.#merge(this.#item.value, value) };
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

  /** @throws the error given to `fail`, after the item before it */
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
