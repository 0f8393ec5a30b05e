import type { Builder } from "./builder.ts";

type Step = string | number;

/** Where a node stands, and what it holds: parallel arrays, since a document has many nodes and few are asked for. */
export class Place {
  readonly start: number;
  /** Of a scalar. */
  readonly written: string | undefined;
  /** Of a map. */
  readonly keys: string[] | undefined;
  readonly keyStarts: number[] | undefined;
  /** Of a map or list. */
  readonly children: Place[] | undefined;
  #index: Map<string, number> | undefined;

  constructor(start: number, written: string | undefined, keys?: string[], children?: Place[]) {
    this.start = start;
    this.written = written;
    this.keys = keys;
    this.keyStarts = keys && [];
    this.children = children;
  }

  /** The position of a child; -1 or one that is not there where a step leads nowhere. */
  indexOf(step: Step): number {
    const { keys } = this;
    if (typeof step === "number") return keys ? -1 : step;
    if (keys === undefined || keys.length <= NARROW) return keys?.indexOf(step) ?? -1;
    this.#index ??= new Map(keys.map((key, index) => [key, index]));
    return this.#index.get(step) ?? -1;
  }
}

/** A wider map is indexed when it is first asked. */
const NARROW = 32;

/** Builds the places of a document's nodes. */
export const places: Builder<Place> = {
  scalar: (start, _value, written) => new Place(start, written),
  list: (start) => new Place(start, undefined, undefined, []),
  item(list, value) {
    list.children?.push(value);
  },
  map: (start) => new Place(start, undefined, [], []),
  entry({ keys, keyStarts, children }, key, keyStart, value) {
    keys?.push(key);
    keyStarts?.push(keyStart);
    children?.push(value);
    return true;
  },
};

/** Where a path stands; the nearest ancestor where the path itself is absent. */
export function offsetAt(root: Place, path: readonly Step[], part: "key" | "value"): number {
  let place = root;
  for (const [depth, step] of path.entries()) {
    const index = place.indexOf(step);
    const next = place.children?.[index];
    if (next === undefined) return place.start;
    const keyStart = part === "key" && depth === path.length - 1 ? place.keyStarts?.[index] : undefined;
    if (keyStart !== undefined) return keyStart;
    place = next;
  }
  return place.start;
}

/** The scalar of a path, as it stands in the text. */
export function writtenAt(root: Place, path: readonly Step[]): string | undefined {
  let place: Place | undefined = root;
  for (const step of path) place = place?.children?.[place.indexOf(step)];
  return place?.written;
}
