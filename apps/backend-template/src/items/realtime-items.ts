import { ITEMS_CHANGED, type Backend, type ItemChange } from "../backend.ts";
import type { Item, ItemStore } from "./item-store.ts";

/**
 * Keeps the realtime API's own items in step with the main ones, change by change, and hands on each new one. The two
 * stores share nothing: what one of them loses, or is switched to, does not touch the other.
 *
 * @param tell called with each new item after it is kept
 */
export function followItems(backend: Backend, items: ItemStore, tell: (item: Item) => void): Promise<void> {
  return backend.mediator.handle(ITEMS_CHANGED, async (message) => {
    const change = message as ItemChange;
    if ("removed" in change) {
      await items.remove(change.removed);
    } else {
      await items.put(change.created);
      tell(change.created);
    }
  });
}
