import { randomUUID } from "node:crypto";
import type { Item, ItemStore } from "./item-store.ts";

/** Items of this process, gone with it. */
export function inMemoryItems(): ItemStore {
  const items = new Map<string, Item>();
  return {
    list: () => Promise.resolve([...items.values()]),
    get: (id) => Promise.resolve(items.get(id)),
    add(name) {
      const item = { id: randomUUID(), name };
      items.set(item.id, item);
      return Promise.resolve(item);
    },
    remove: (id) => Promise.resolve(items.delete(id)),
    close: () => Promise.resolve(),
  };
}
