import { signal, type Signal } from "@preact/signals";
import { compareText } from "../../../core/api/issue.ts";
import type { ProcessMetrics } from "../../../client/index.ts";
import type { Sorting } from "../../ui/sorting.ts";
import { keyOf } from "./history.ts";

export type Column = "name" | "status" | "cpu" | "memory" | "restarts" | "uptime" | "disk";

/** The order of rows. It holds while somebody points at a row or has the focus in one: values go on, rows stay. */
export interface Order {
  readonly sorting: Signal<Sorting<Column>>;
  readonly isHeld: Signal<boolean>;
  ordered(processes: readonly ProcessMetrics[]): ProcessMetrics[];
}

export function createOrder(): Order {
  const sorting = signal<Sorting<Column>>({ by: "name", isDescending: false });
  const isHeld = signal(false);
  let last: { readonly sorting: Sorting<Column>; readonly places: ReadonlyMap<string, number> } | undefined;
  return {
    sorting,
    isHeld,
    ordered(processes) {
      const isSame = last?.sorting === sorting.value;
      const places = last?.places;
      const sorted =
        isHeld.value && isSame && places
          ? processes.toSorted((a, b) => placeOf(places, a) - placeOf(places, b))
          : processes.toSorted(comparison(sorting.value));
      last = { sorting: sorting.value, places: new Map(sorted.map((process, at) => [keyOf(process), at])) };
      return sorted;
    },
  };
}

/** What came since stands at the end. */
function placeOf(places: ReadonlyMap<string, number>, process: ProcessMetrics): number {
  return places.get(keyOf(process)) ?? places.size;
}

const numbers = {
  cpu: ({ cpuPercent }) => cpuPercent,
  memory: ({ memoryBytes }) => memoryBytes,
  restarts: ({ restartCount }) => restartCount,
  uptime: ({ uptimeMs }) => uptimeMs,
  disk: ({ diskIo }) => (diskIo.readBytesPerSecond ?? 0) + (diskIo.writeBytesPerSecond ?? 0),
} as const satisfies Record<string, (process: ProcessMetrics) => number | null>;

function comparison({ by, isDescending }: Sorting<Column>): (a: ProcessMetrics, b: ProcessMetrics) => number {
  const direction = isDescending ? -1 : 1;
  if (by === "name" || by === "status") {
    return (a, b) => direction * (compareText(a[by], b[by]) || compareText(a.name, b.name) || a.pmId - b.pmId);
  }
  const read = numbers[by];
  // What was not measured stands at the end, either way.
  const value = (process: ProcessMetrics): number => read(process) ?? Infinity * direction;
  return (a, b) => direction * (value(a) - value(b) || 0) || compareText(a.name, b.name) || a.pmId - b.pmId;
}
