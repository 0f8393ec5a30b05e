import type { Builder } from "./builder.ts";

export const values: Builder<unknown> = {
  scalar: (_start, value) => value,
  list: () => [],
  item(list, value) {
    (list as unknown[]).push(value);
  },
  map: () => ({}),
  entry(map, key, _keyStart, value) {
    const record = map as Record<string, unknown>;
    if (Object.hasOwn(record, key)) return false;
    record[key] = value;
    return true;
  },
};
