import { computed, effect, signal } from "@preact/signals";
import type { HistoryResponse } from "../../../core/api/history.ts";
import type { Api } from "../../data/api.ts";
import { Joined, type Past, type Readable } from "../../data/series.ts";
import { partOf, type Shown } from "../../ui/chart/scene.ts";
import type { Feed } from "./feed.ts";
import { MEMORY } from "./history.ts";
import { keyOf } from "./rows.ts";
import { ranges, type View } from "./view.ts";

/** By row; the host has the key `""`. */
type PastRows = ReadonlyMap<string, Past>;

const SERIES = "host,*:cpuPercent,*:memoryBytes";
const HOST = ["cpuPercent", "memoryPercent", "diskPercent"];
const PROCESS = ["cpuPercent", "memoryBytes"];
const LEAST_WAIT_MS = 60_000;

export function createPast(api: Pick<Api, "history" | "record">, feed: Feed, view: View) {
  const rows = signal<PastRows>(new Map());
  const before = signal<PastRows>(new Map());
  const recorder = signal<HistoryResponse["recorder"] | undefined>();
  const compares = signal(false);
  const load = async (signalOf: AbortSignal): Promise<number> => {
    const length = ranges[view.range.peek()];
    const to = Math.ceil(feed.newest.peek()?.time ?? 0);
    const ask = (end: number): Promise<HistoryResponse> =>
      api.history({ series: SERIES, from: `${Math.max(0, end - length) * 1000}`, to: `${end * 1000}` }, signalOf);
    const [now, earlier] = await Promise.all([ask(to), compares.peek() ? ask(to - length) : undefined]);
    rows.value = rowsOf(now);
    before.value = earlier === undefined ? new Map() : rowsOf(earlier);
    recorder.value = now.recorder;
    return now.step;
  };
  const isOpen = computed(() => feed.newest.value !== undefined && feed.state.value !== "closed");
  effect(() => {
    void [view.range.value, compares.value];
    return isOpen.value ? repeat(load) : undefined;
  });
  const joined = (key: string): Readable | undefined => {
    const live = key === "" ? feed.history.host : feed.history.rowOf(key);
    const past = rows.value.get(pastKeyOf(key));
    return past === undefined ? live : new Joined(past, live);
  };
  return {
    recorder,
    compares,
    joined,
    has: computed(() => rows.value.size > 0),
    /** In a comparison, adds the first column of the preceding span. */
    shown(key: string, columns: readonly number[]): Shown {
      const shown = partOf(joined(key), view.span.value, columns);
      const earlier = before.value.get(pastKeyOf(key));
      if (earlier === undefined) return shown;
      const values = shown.part[0].map((time) => valueAt(earlier, columns[0] ?? 0, time - ranges[view.range.value]));
      return { ...shown, part: [...shown.part, values] };
    },
    lines: (names: readonly string[]): readonly string[] => (before.value.size === 0 ? names : [...names, "Before"]),
    firstMemory(key: string) {
      const row = joined(key);
      return row instanceof Joined ? row.first(MEMORY, view.span.value) : undefined;
    },
    async record(on: boolean): Promise<void> {
      recorder.value = await api.record(on);
    },
  };
}

/** Repeats after the number of milliseconds that `load` returns. @returns a function that stops it */
function repeat(load: (signal: AbortSignal) => Promise<number>): () => void {
  const stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const follow = async (): Promise<void> => {
    // After a failure, the page shows its own samples.
    const step = await load(stop.signal).catch(() => 0);
    if (!stop.signal.aborted) timer = setTimeout(() => void follow(), Math.max(LEAST_WAIT_MS, step));
  };
  void follow();
  return () => {
    stop.abort();
    clearTimeout(timer);
  };
}

function valueAt({ columns, from, step }: Past, column: number, time: number): number | null {
  return columns[column]?.[Math.floor((time - from) / step)] ?? null;
}

/** The key of an app with several instances has the name behind the number of the first one. */
function pastKeyOf(key: string): string {
  return key.replace(/^× \d+ /, "× ");
}

function rowsOf({ from, step, series }: HistoryResponse): PastRows {
  const rows = new Map<string, (readonly (number | null)[])[]>();
  for (const { app, pmId, metric, mean } of series) {
    const isHost = app === null || pmId === null;
    const column = (isHost ? HOST : PROCESS).indexOf(metric);
    for (const key of isHost ? [""] : [keyOf({ name: app, pmId }), `× ${app}`]) {
      const columns = rows.get(key) ?? [];
      rows.set(key, columns);
      columns[column] = sumOf(columns[column], mean);
    }
  }
  const past = [...rows].map(([key, columns]) => [key, { from: from / 1000, step: step / 1000, columns }] as const);
  return new Map(past);
}

function sumOf(
  sum: readonly (number | null)[] | undefined,
  values: readonly (number | null)[],
): readonly (number | null)[] {
  if (sum === undefined) return values;
  return values.map((value, at) => (value === null ? (sum[at] ?? null) : value + (sum[at] ?? 0)));
}
