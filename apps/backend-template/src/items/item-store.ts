/** The only resource of the backend, in any storage. */
export interface Item {
  readonly id: string;
  readonly name: string;
}

/** Limited because a list is in memory and in one response. */
export const MAX_LIST_LENGTH = 1000;

export interface ItemStore {
  /** Oldest first, at most `MAX_LIST_LENGTH` items. */
  list(): Promise<readonly Item[]>;
  get(id: string): Promise<Item | undefined>;
  /** Does nothing if an item with the same id exists. */
  put(item: Item): Promise<void>;
  /** @returns true if the item existed */
  remove(id: string): Promise<boolean>;
  close(): Promise<void>;
}
