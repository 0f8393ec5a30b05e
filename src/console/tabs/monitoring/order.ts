import { signal } from "@preact/signals";
import { compareText } from "../../../core/api/issue.ts";
import type { ProcessMetrics } from "../../../client/index.ts";
import { keyOf } from "./history.ts";

export type Column = "name" | "status" | "cpu" | "memory" | "restarts" | "uptime" | "disk";

export interface Sorting {
  readonly by: Column;
  readonly isDescending: boolean;
}

/** The order of rows. It is held while the pointer or the focus is in the table: values change, rows stay. */
export function createOrder() {
  const sorting = signal<Sorting>({ by: "name", isDescending: false });
  const isHeld = signal(false);
  let last: { readonly sorting: Sorting; readonly places: ReadonlyMap<string, number> } | undefined;
  return {
    sorting,
    isHeld,
    ordered(processes: readonly ProcessMetrics[]): ProcessMetrics[] {
      const places = isHeld.value && last?.sorting === sorting.value ? last?.places : undefined;
      // A new row goes to the end.
      const placeOf = (process: ProcessMetrics): number => places?.get(keyOf(process)) ?? Infinity;
      const sorted = processes.toSorted(places ? (a, b) => placeOf(a) - placeOf(b) || 0 : comparison(sorting.value));
      last = { sorting: sorting.value, places: new Map(sorted.map((process, at) => [keyOf(process), at])) };
      return sorted;
    },
  };
}

const numbers = {
  cpu: ({ cpuPercent }) => cpuPercent,
  memory: ({ memoryBytes }) => memoryBytes,
  restarts: ({ restartCount }) => restartCount,
  uptime: ({ uptimeMs }) => uptimeMs,
  disk: ({ diskIo }) => (diskIo.readBytesPerSecond ?? 0) + (diskIo.writeBytesPerSecond ?? 0),
} as const satisfies Record<string, (process: ProcessMetrics) => number | null>;

function comparison({ by, isDescending }: Sorting): (a: ProcessMetrics, b: ProcessMetrics) => number {
  const direction = isDescending ? -1 : 1;
  if (by === "name" || by === "status") return (a, b) => direction * (compareText(a[by], b[by]) || byName(a, b));
  const read = numbers[by];
  // A value that was not measured goes to the end in both directions.
  const value = (process: ProcessMetrics): number => read(process) ?? Infinity * direction;
  return (a, b) => direction * (value(a) - value(b) || 0) || byName(a, b);
}

function byName(a: ProcessMetrics, b: ProcessMetrics): number {
  return compareText(a.name, b.name) || a.pmId - b.pmId;
}
