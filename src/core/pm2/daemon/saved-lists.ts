import type { SavedLists } from "../port-saved-list.ts";
import { makePrivate } from "./saved-files.ts";

export function pm2SavedLists(home: string): SavedLists {
  return {
    // Few commands compare the list, and the code that does is large.
    read: async (digest) => (await import("./read-saved.ts")).readSaved(home, digest),
    makePrivate: () => makePrivate(home),
  };
}
