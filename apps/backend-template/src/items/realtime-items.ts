import { ITEMS_CHANGED, type Backend, type ItemChange } from "../backend.ts";
import type { Item, ItemStore } from "./item-store.ts";

/**
 * Applies each change of the main items to those of the realtime API. The two stores are independent: a loss or a
 * different driver in one does not affect the other.
 *
 * @param announce is called with each new item after it was stored
 */
export function followItems(backend: Backend, items: ItemStore, announce: (item: Item) => void): Promise<void> {
  return backend.mediator.handle(ITEMS_CHANGED, async (message) => {
    const change = message as ItemChange;
    if ("removed" in change) {
      await items.remove(change.removed);
    } else {
      await items.put(change.created);
      announce(change.created);
    }
  });
}
