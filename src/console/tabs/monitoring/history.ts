import { computed, effect, signal, type ReadonlySignal } from "@preact/signals";
import type { HistoryResponse } from "../../../core/api/history.ts";
import type { Api } from "../../data/api.ts";
import { JoinedSeries, type RecordedSeries, type ReadableSeries } from "../../data/series.ts";
import { readChartData, type ChartData } from "../../ui/chart/scene.ts";
import type { Feed } from "./feed.ts";
import { MEMORY } from "./live-samples.ts";
import { keyOf } from "./rows.ts";
import type { View } from "./view.ts";

/** By row; the host has the key `""`. */
type SeriesByRow = ReadonlyMap<string, RecordedSeries>;

const SERIES = "host,*:cpuPercent,*:memoryBytes";
const HOST = ["cpuPercent", "memoryPercent", "diskPercent"];
const PROCESS = ["cpuPercent", "memoryBytes"];
const MIN_WAIT_MS = 60_000;

/** The values that the server has recorded, and those of this page. */
export function createHistory(api: Pick<Api, "history" | "record">, feed: Feed, view: View) {
  const recorded = signal<SeriesByRow>(new Map());
  const previous = signal<SeriesByRow>(new Map());
  const recorder = signal<HistoryResponse["recorder"] | undefined>();
  const isComparing = signal(false);
  const load = async (abort: AbortSignal): Promise<number> => {
    const length = view.seconds.peek();
    const to = Math.ceil(feed.newest.peek()?.time ?? 0);
    const request = (end: number): Promise<HistoryResponse> =>
      api.history({ series: SERIES, from: `${Math.max(0, end - length) * 1000}`, to: `${end * 1000}` }, abort);
    const [current, earlier] = await Promise.all([request(to), isComparing.peek() ? request(to - length) : undefined]);
    recorded.value = seriesByRow(current);
    previous.value = earlier === undefined ? new Map() : seriesByRow(earlier);
    recorder.value = current.recorder;
    return current.step;
  };
  const isOpen = computed(() => feed.newest.value !== undefined && feed.state.value !== "closed");
  effect(() => {
    void [view.range.value, view.released.value, isComparing.value];
    return isOpen.value ? repeat(load) : undefined;
  });
  return {
    recorder,
    isComparing,
    isAvailable: computed(() => recorded.value.size > 0),
    ...createReader({ recorded, previous }, feed, view),
    async record(on: boolean): Promise<void> {
      recorder.value = await api.record(on);
    },
  };
}

interface Recordings {
  readonly recorded: ReadonlySignal<SeriesByRow>;
  /** Those of the preceding span, in a comparison. */
  readonly previous: ReadonlySignal<SeriesByRow>;
}

function createReader({ recorded, previous }: Recordings, feed: Feed, view: View) {
  const seriesOf = (key: string): ReadableSeries | undefined => {
    const live = key === "" ? feed.samples.host : feed.samples.ofRow(key);
    const recording = recorded.value.get(recordingKey(key));
    return recording === undefined ? live : new JoinedSeries(recording, live);
  };
  return {
    seriesOf,
    /** In a comparison, adds the first column of the preceding span. */
    chartData(key: string, columns: readonly number[]): ChartData {
      const data = readChartData(seriesOf(key), view.span.value, columns);
      const earlier = previous.value.get(recordingKey(key));
      if (earlier === undefined) return data;
      const values = data.part[0].map((time) => valueAt(earlier, columns[0] ?? 0, time - view.seconds.value));
      return { ...data, part: [...data.part, values] };
    },
    lineNames: (names: readonly string[]): readonly string[] =>
      previous.value.size === 0 ? names : [...names, "Before"],
    firstMemory(key: string) {
      const series = seriesOf(key);
      return series instanceof JoinedSeries ? series.first(MEMORY, view.span.value) : undefined;
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
    if (!stop.signal.aborted) timer = setTimeout(() => void follow(), Math.max(MIN_WAIT_MS, step));
  };
  void follow();
  return () => {
    stop.abort();
    clearTimeout(timer);
  };
}

function valueAt({ columns, from, step }: RecordedSeries, column: number, time: number): number | null {
  return columns[column]?.[Math.floor((time - from) / step)] ?? null;
}

/** The key of an app with several instances has the name behind the number of the first one. */
function recordingKey(key: string): string {
  return key.replace(/^× \d+ /, "× ");
}

function seriesByRow({ from, step, series }: HistoryResponse): SeriesByRow {
  const rows = new Map<string, (readonly (number | null)[])[]>();
  for (const { app, pmId, metric, mean } of series) {
    const isHost = app === null || pmId === null;
    const column = (isHost ? HOST : PROCESS).indexOf(metric);
    for (const key of isHost ? [""] : [keyOf({ name: app, pmId }), `× ${app}`]) {
      const columns = rows.get(key) ?? [];
      rows.set(key, columns);
      columns[column] = addValues(columns[column], mean);
    }
  }
  return new Map([...rows].map(([key, columns]) => [key, { from: from / 1000, step: step / 1000, columns }]));
}

function addValues(
  sum: readonly (number | null)[] | undefined,
  values: readonly (number | null)[],
): readonly (number | null)[] {
  if (sum === undefined) return values;
  return values.map((value, at) => (value === null ? (sum[at] ?? null) : value + (sum[at] ?? 0)));
}
