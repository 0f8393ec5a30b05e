import type { Path } from "../source.ts";
import type { Builder } from "./builder.ts";

/** Uses parallel arrays, because a document has many nodes. */
export class NodeLocation {
  readonly start: number;
  readonly source: string | undefined;
  readonly keys: string[] | undefined;
  readonly keyStarts: number[] | undefined;
  readonly children: NodeLocation[] | undefined;
  #index: Map<string, number> | undefined;

  constructor(start: number, source: string | undefined, keys?: string[], children?: NodeLocation[]) {
    this.start = start;
    this.source = source;
    this.keys = keys;
    this.keyStarts = keys && [];
    this.children = children;
  }

  /** -1 or out of range if there is no such child. */
  indexOf(step: string | number): number {
    const { keys } = this;
    if (typeof step === "number") return keys ? -1 : step;
    if (keys === undefined || keys.length <= MAX_UNINDEXED_KEYS) return keys?.indexOf(step) ?? -1;
    this.#index ??= new Map(keys.map((key, index) => [key, index]));
    return this.#index.get(step) ?? -1;
  }
}

const MAX_UNINDEXED_KEYS = 32;

export const locationBuilder: Builder<NodeLocation> = {
  scalar: (start, _value, source) => new NodeLocation(start, source),
  list: (start) => new NodeLocation(start, undefined, undefined, []),
  item(list, value) {
    list.children?.push(value);
  },
  map: (start) => new NodeLocation(start, undefined, [], []),
  entry({ keys, keyStarts, children }, key, keyStart, value) {
    keys?.push(key);
    keyStarts?.push(keyStart);
    children?.push(value);
    return true;
  },
};

/** The offset of a path, or of its nearest ancestor. */
export function offsetAt(root: NodeLocation, path: Path, part: "key" | "value"): number {
  let location = root;
  for (const [depth, step] of path.entries()) {
    const index = location.indexOf(step);
    const next = location.children?.[index];
    if (next === undefined) return location.start;
    const keyStart = part === "key" && depth === path.length - 1 ? location.keyStarts?.[index] : undefined;
    if (keyStart !== undefined) return keyStart;
    location = next;
  }
  return location.start;
}

export function scalarSourceAt(root: NodeLocation, path: Path): string | undefined {
  let location: NodeLocation | undefined = root;
  for (const step of path) location = location?.children?.[location.indexOf(step)];
  return location?.source;
}
