import { signal } from "@preact/signals";
import { compareText } from "../../../core/api/issue.ts";
import { CALM_RANK, type Row } from "./rows.ts";

export const columns = ["status", "name", "cpu", "memory", "growth", "restarts", "uptime"] as const;
export type Column = (typeof columns)[number];

export interface Sorting {
  readonly by: Column;
  readonly isDescending: boolean;
}

export const DEFAULT_SORTING: Sorting = { by: "status", isDescending: false };

type Ordered = Pick<Row, "key" | "process" | "attention" | "growth">;

/** Rows keep their places while the pointer or the focus is in the table; only values change. */
export function createOrder() {
  const sorting = signal(DEFAULT_SORTING);
  const isFrozen = signal(false);
  let last: { readonly sorting: Sorting; readonly rows: readonly Ordered[] } | undefined;
  return {
    sorting,
    isFrozen,
    sorted<Item extends Ordered>(rows: readonly Item[]): Item[] {
      const before = isFrozen.value && last?.sorting === sorting.value ? last.rows : undefined;
      const positions = before && new Map(before.map(({ key }, at) => [key, at]));
      const positionOf = ({ key }: Ordered): number => positions?.get(key) ?? Infinity;
      const result = rows.toSorted(
        positions ? (a, b) => positionOf(a) - positionOf(b) || 0 : comparison(sorting.value),
      );
      last = { sorting: sorting.value, rows: result };
      return result;
    },
  };
}

const numbers = {
  cpu: ({ process }) => process.cpuPercent,
  memory: ({ process }) => process.memoryBytes,
  growth: ({ growth }) => growth?.bytes ?? null,
  restarts: ({ process }) => process.restartCount,
  uptime: ({ process }) => process.uptimeMs,
} as const satisfies Record<string, (row: Ordered) => number | null>;

function comparison({ by, isDescending }: Sorting): (a: Ordered, b: Ordered) => number {
  const direction = isDescending ? -1 : 1;
  if (by === "name") return (a, b) => direction * byName(a, b);
  if (by === "status") return (a, b) => direction * (rankOf(a) - rankOf(b)) || byName(a, b);
  const read = numbers[by];
  // Unmeasured values go to the end in both directions.
  const value = (row: Ordered): number => read(row) ?? Infinity * direction;
  return (a, b) => direction * (value(a) - value(b) || 0) || byName(a, b);
}

/** Urgent rows, then stopped ones, then the others. */
function rankOf({ attention, process }: Ordered): number {
  return attention?.rank ?? CALM_RANK + (process.state === "online" ? 1 : 0);
}

function byName(a: Ordered, b: Ordered): number {
  return compareText(a.process.name, b.process.name) || a.process.pmId - b.process.pmId;
}
