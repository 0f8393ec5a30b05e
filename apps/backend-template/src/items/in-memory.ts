import { MAX_LIST_LENGTH, type Item, type ItemStore } from "./item-store.ts";

export function inMemoryItems(): ItemStore {
  const items = new Map<string, Item>();
  return {
    list: () => Promise.resolve([...items.values()].slice(0, MAX_LIST_LENGTH)),
    get: (id) => Promise.resolve(items.get(id)),
    put(item) {
      if (!items.has(item.id)) items.set(item.id, item);
      return Promise.resolve();
    },
    remove: (id) => Promise.resolve(items.delete(id)),
    close: () => Promise.resolve(),
  };
}
