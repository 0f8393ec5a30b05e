import type { Builder } from "./builder.ts";

type Step = string | number;

/** Uses parallel arrays, because a document has many nodes. */
export class Place {
  readonly start: number;
  /** Only for a scalar. */
  readonly written: string | undefined;
  /** Only for a map. */
  readonly keys: string[] | undefined;
  readonly keyStarts: number[] | undefined;
  readonly children: Place[] | undefined;
  #index: Map<string, number> | undefined;

  constructor(start: number, written: string | undefined, keys?: string[], children?: Place[]) {
    this.start = start;
    this.written = written;
    this.keys = keys;
    this.keyStarts = keys && [];
    this.children = children;
  }

  /** -1 or out of range if there is no such child. */
  indexOf(step: Step): number {
    const { keys } = this;
    if (typeof step === "number") return keys ? -1 : step;
    if (keys === undefined || keys.length <= NARROW) return keys?.indexOf(step) ?? -1;
    this.#index ??= new Map(keys.map((key, index) => [key, index]));
    return this.#index.get(step) ?? -1;
  }
}

/** A wider map gets an index on first use. */
const NARROW = 32;

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

/** The offset of a path, or of its nearest ancestor. */
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

export function writtenAt(root: Place, path: readonly Step[]): string | undefined {
  let place: Place | undefined = root;
  for (const step of path) place = place?.children?.[place.indexOf(step)];
  return place?.written;
}
