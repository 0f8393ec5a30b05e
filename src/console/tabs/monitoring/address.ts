import { type Signal, signal } from "@preact/signals";
import { selectionPart, textPart, type AddressPart } from "../../state/address.ts";
import type { Feed } from "./feed.ts";
import { statuses } from "./process-status.ts";
import { ranges, type createView, type Range } from "./view.ts";
import { compareText } from "../../../core/api/issue.ts";
import { CALM_RANK, type Row, keyOf } from "./rows.ts";
import type { ProcessMetrics } from "../../../client/index.ts";
import type { Router } from "../../state/router.ts";

interface State {
  readonly order: ReturnType<typeof createOrder>;
  readonly feed: Feed;
  readonly view: ReturnType<typeof createView>;
  readonly history: { readonly isComparing: Signal<boolean> };
  readonly filter: Signal<string>;
  readonly status: Signal<string>;
  /** Keys of processes. */
  readonly open: Signal<ReadonlySet<string>>;
  readonly side: { readonly shown: Signal<string> };
}

const tab = "monitoring";

export function monitoringParts(state: State): AddressPart[] {
  const { feed, filter, open, order, history, side, status, view } = state;
  return [
    selectionPart(
      { name: "environment", tab },
      () => feed.environment.value,
      (name) => feed.select(name),
    ),
    textPart({ name: "find", tab }, filter),
    textPart({ name: "status", tab }, status, { accepts: (value) => statuses.some((name) => name === value) }),
    {
      name: "sort",
      tab,
      read: () => [sortText(order.sorting.value)].filter((text) => text !== sortText(DEFAULT_SORTING)),
      write: ([text = ""]) => void (order.sorting.value = sortingOf(text)),
    },
    {
      name: "range",
      tab,
      read: () => (view.range.value === view.first ? [] : [view.range.value]),
      write: ([text = view.first]) =>
        view.choose(text === "release" || Object.hasOwn(ranges, text) ? (text as Range) : view.first),
    },
    {
      name: "compare",
      tab,
      read: () => (history.isComparing.value ? ["before"] : []),
      write: ([text]) => void (history.isComparing.value = text === "before"),
    },
    textPart({ name: "process", tab }, side.shown),
    { name: "open", tab, read: () => [...open.value], write: (keys) => void (open.value = new Set(keys)) },
  ];
}

export function sortText({ by, isDescending }: Sorting): string {
  return `${isDescending ? "-" : ""}${by}`;
}

export function sortingOf(text: string): Sorting {
  const by = columns.find((column) => column === text.replace(/^-/, ""));
  return by === undefined ? DEFAULT_SORTING : { by, isDescending: text.startsWith("-") };
}

const columns = ["status", "name", "cpu", "memory", "growth", "restarts", "uptime"] as const;
export type Column = (typeof columns)[number];

export interface Sorting {
  readonly by: Column;
  readonly isDescending: boolean;
}

const DEFAULT_SORTING: Sorting = { by: "status", isDescending: false };

type Ordered = Pick<Row, "key" | "process" | "attention" | "growth">;

export function createOrder() {
  const sorting = signal(DEFAULT_SORTING);
  return {
    sorting,
    /** A task later, because in the task of a click or a choice, the browser lays out the page. */
    choose: (next: Sorting): void => void setTimeout(() => (sorting.value = next)),
    sorted: <Item extends Ordered>(rows: readonly Item[]): Item[] => rows.toSorted(comparison(sorting.value)),
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

/** The process whose details are beside the list. It is part of the address, so Back closes it. */
export function createSide(router: Pick<Router, "remember">) {
  /** A key or the name of an app; empty for none. */
  const shown = signal("");
  let opener: HTMLElement | null = null;
  let from: string | undefined;
  return {
    shown,
    show: (key: string): void => {
      if (shown.peek() === "") {
        opener = document.activeElement as HTMLElement | null;
        from = opener?.dataset["row"];
        router.remember();
      }
      shown.value = key;
      requestAnimationFrame(() => {
        document.querySelector<HTMLElement>("#process")?.focus();
        document.querySelector(rowOf(key))?.scrollIntoView({ block: "nearest" });
      });
    },
    /** The focus returns to where the user opened it, or to the row of the process. */
    close: (): void => {
      const row = rowOf(from ?? shown.peek());
      shown.value = "";
      requestAnimationFrame(() => {
        // The elements of a row may show another one by now.
        const isThere = from === undefined && opener?.isConnected && opener !== document.body;
        const target = isThere ? opener : (document.querySelector(row) ?? document.querySelector("#panel"));
        (target as HTMLElement | null)?.focus();
      });
    },
  };
}

function rowOf(key: string): string {
  return `[data-row="${CSS.escape(key)}"]`;
}

/** By its key; PM2 gives an app that was deleted and started again another number, so then by its name. */
export function findShown(shown: string, processes: readonly ProcessMetrics[]): ProcessMetrics | undefined {
  const exact = processes.find((one) => keyOf(one) === shown);
  if (exact !== undefined) return exact;
  const wanted = shown.replace(/^\d+ /, "");
  const namesakes = processes.filter(({ name }) => name === shown || name === wanted);
  return namesakes.find(({ problem }) => problem !== null) ?? namesakes[0];
}
