/** Items, the backend's one resource, wherever they are kept. */
export interface Item {
  readonly id: string;
  readonly name: string;
}

/** The most items in a list, because a list is in memory and in one answer. */
export const LONGEST_LIST = 1000;

export interface ItemStore {
  /** The oldest first, `LONGEST_LIST` of them at most. */
  list(): Promise<readonly Item[]>;
  get(id: string): Promise<Item | undefined>;
  /** Keeps an item. Nothing changes if one of its id is kept already. */
  put(item: Item): Promise<void>;
  /** @returns whether the item existed */
  remove(id: string): Promise<boolean>;
  close(): Promise<void>;
}
