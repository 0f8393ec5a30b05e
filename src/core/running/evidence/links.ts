import { lstatSync } from "node:fs";
import { dirname } from "node:path";

/** Links on the way to a path that were written after a time, from the top. */
export function movedLinks(path: string, sinceMs: number, above = "/"): string[] {
  const links: string[] = [];
  for (let at = path; at !== above && at !== dirname(at); at = dirname(at)) {
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink() === true && stats.ctimeMs > sinceMs) links.unshift(at);
  }
  return links;
}
