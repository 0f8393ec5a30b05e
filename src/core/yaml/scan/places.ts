import type { Builder } from "./builder.ts";

/** Where a node stands, and what it holds. */
export interface Place {
  readonly start: number;
  /** Of a scalar. */
  readonly written?: string;
  /** Of a list. */
  readonly items?: Place[];
  /** Of a map. */
  readonly entries?: Map<string, { readonly keyStart: number; readonly value: Place }>;
}

/** Builds the places of a document's nodes. */
export const places: Builder<Place> = {
  scalar: (start, _value, written) => ({ start, written }),
  list: (start) => ({ start, items: [] }),
  item(list, value) {
    list.items?.push(value);
  },
  map: (start) => ({ start, entries: new Map() }),
  entry(map, key, keyStart, value) {
    map.entries?.set(key, { keyStart, value });
    return true;
  },
};

/** Where a path stands; the nearest ancestor where the path itself is absent. */
export function offsetAt(root: Place, path: readonly (string | number)[], part: "key" | "value"): number {
  let place = root;
  for (const [index, step] of path.entries()) {
    const entry = typeof step === "string" ? place.entries?.get(step) : undefined;
    const next = entry ? entry.value : itemOf(place, step);
    if (next === undefined) return place.start;
    if (entry && part === "key" && index === path.length - 1) return entry.keyStart;
    place = next;
  }
  return place.start;
}

/** The scalar of a path, as it stands in the text. */
export function writtenAt(root: Place, path: readonly (string | number)[]): string | undefined {
  let place: Place | undefined = root;
  for (const step of path) {
    place = typeof step === "string" ? place.entries?.get(step)?.value : itemOf(place, step);
    if (place === undefined) return undefined;
  }
  return place.written;
}

function itemOf({ items }: Place, step: string | number): Place | undefined {
  return typeof step === "number" ? items?.[step] : undefined;
}
