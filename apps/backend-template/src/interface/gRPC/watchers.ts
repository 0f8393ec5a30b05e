import { Metadata, status, type ServerWritableStream } from "@grpc/grpc-js";
import { MAX_LIST_LENGTH, type Item } from "../../items/item-store.ts";

type Watch = ServerWritableStream<unknown, Item>;

/** Each watcher reads at its own speed. */
export interface Watchers {
  add(call: Watch): void;
  announce(item: Item): void;
  end(): void;
}

/** The most items that may wait for a slow watcher. */
const MAX_PENDING_ITEMS = MAX_LIST_LENGTH;

/** Never silently omits an item: a watcher that falls further behind gets the waiting items, then an error. */
export function itemWatchers(): Watchers {
  const watches = new Set<Watch>();
  const write = (watch: Watch, item: Item): void => {
    // Items that HTTP/2 has not accepted yet, because the reader is slow.
    if (watch.writableLength < MAX_PENDING_ITEMS) watch.write(item);
    else if (watches.delete(watch)) watch.emit("error", tooFarBehind());
  };
  return {
    add(watch) {
      watches.add(watch);
      // After this, the client knows that it will miss nothing.
      watch.sendMetadata(new Metadata());
      watch.on("close", () => watches.delete(watch));
      watch.on("cancelled", () => watches.delete(watch));
    },
    announce(item) {
      for (const watch of watches) write(watch, item);
    },
    end() {
      for (const watch of watches) watch.end();
    },
  };
}

function tooFarBehind() {
  const details = `More than ${MAX_PENDING_ITEMS} items waited to be read. Watch again, then list what was missed.`;
  return Object.assign(new Error(details), { code: status.RESOURCE_EXHAUSTED, details });
}
