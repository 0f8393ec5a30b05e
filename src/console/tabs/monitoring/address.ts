import type { Signal } from "@preact/signals";
import { selectionPart, textPart, type AddressPart } from "../../state/address.ts";
import type { Feed } from "./feed.ts";
import { columns, DEFAULT_SORTING, type createOrder, type Sorting } from "./order.ts";
import { statuses } from "./process-status.ts";
import { ranges, type createView, type Range } from "./view.ts";

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
