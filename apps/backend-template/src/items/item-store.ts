/** Items, the backend's one resource, wherever they are kept. */
export interface Item {
  readonly id: string;
  readonly name: string;
}

export interface ItemStore {
  list(): Promise<readonly Item[]>;
  get(id: string): Promise<Item | undefined>;
  add(name: string): Promise<Item>;
  /** Whether there was one to remove. */
  remove(id: string): Promise<boolean>;
  close(): Promise<void>;
}
