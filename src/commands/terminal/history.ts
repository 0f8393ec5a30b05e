import type { HistoryResponse } from "../../core/index.ts";
import { formatBytes, formatPercent, renderSparkline } from "./numbers.ts";
import type { Screen } from "./screen.ts";
import { renderTable, type Column } from "./table.ts";

type Series = HistoryResponse["series"][number];
type SeriesValues = readonly (number | null)[];

const SPARKLINE_WIDTH = 24;

interface Row {
  readonly app: string;
  readonly pmId: number;
  readonly cpu: Series | undefined;
  readonly memory: Series | undefined;
  readonly restarts: Series | undefined;
}

export function renderHistory({ series }: HistoryResponse, screen: Screen): string {
  const hostSeries = series.filter(({ app }) => app === null);
  if (hostSeries.length > 0) return renderTable(HOST_COLUMNS, hostSeries, screen);
  const rows = new Map<string, Row>();
  for (const { app, pmId } of series) {
    if (app === null || pmId === null) continue;
    const findSeries = (metric: string) =>
      series.find((one) => one.app === app && one.pmId === pmId && one.metric === metric);
    const row = {
      app,
      pmId,
      cpu: findSeries("cpuPercent"),
      memory: findSeries("memoryBytes"),
      restarts: findSeries("restartCount"),
    };
    rows.set(`${app}/${pmId}`, row);
  }
  return renderTable(PROCESS_COLUMNS, [...rows.values()], screen);
}

const PROCESS_COLUMNS: readonly Column<Row>[] = [
  { heading: "NAME", cell: ({ app }) => app, shorten: "middle" },
  { heading: "ID", cell: ({ pmId }) => String(pmId), side: "right" },
  { heading: "CPU", cell: ({ cpu }) => formatPercent(meanOf(cpu?.mean)), side: "right" },
  { heading: "MAX", cell: ({ cpu }) => formatPercent(maxOf(cpu?.max)), side: "right", dropPriority: 3 },
  { heading: "MEMORY", cell: ({ memory }) => formatBytes(lastOf(memory?.mean)), side: "right" },
  { heading: "MAX", cell: ({ memory }) => formatBytes(maxOf(memory?.max)), side: "right", dropPriority: 2 },
  { heading: "GROWTH", cell: ({ memory }) => renderGrowth(memory?.mean), side: "right" },
  { heading: "RESTARTS", cell: ({ restarts }) => countRestarts(restarts?.max), side: "right", dropPriority: 1 },
  { heading: "MEMORY OVER TIME", cell: ({ memory }) => renderTrend(memory?.mean), dropPriority: 4 },
];

const HOST_COLUMNS: readonly Column<Series>[] = [
  { heading: "METRIC", cell: ({ metric }) => metric },
  { heading: "MEAN", cell: ({ mean }) => formatPercent(meanOf(mean)), side: "right" },
  { heading: "MAX", cell: ({ max }) => formatPercent(maxOf(max)), side: "right" },
  { heading: "LAST", cell: ({ mean }) => formatPercent(lastOf(mean)), side: "right" },
  { heading: "OVER TIME", cell: ({ mean }) => renderSparkline(downsample(mean), SPARKLINE_WIDTH) },
];

/** As in RFC 4180. */
export function historyCsv({ from, step, series }: HistoryResponse): string {
  const lines = series.flatMap(({ app, pmId, metric, mean, max }) =>
    mean.flatMap((value, at) =>
      value === null
        ? []
        : [
            [
              new Date(from + at * step).toISOString(),
              csvField(app ?? ""),
              pmId ?? "",
              metric,
              value,
              max[at] ?? "",
            ].join(),
          ],
    ),
  );
  return ["time,app,pmId,metric,mean,max", ...lines].join("\n");
}

/** A spreadsheet would treat text that begins with a sign as a formula. */
function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function measuredValues(values: SeriesValues = []): number[] {
  return values.filter((value) => value !== null);
}

function meanOf(values: SeriesValues | undefined): number | null {
  const all = measuredValues(values);
  return all.length === 0 ? null : all.reduce((sum, value) => sum + value, 0) / all.length;
}

function maxOf(values: SeriesValues | undefined): number | null {
  const all = measuredValues(values);
  return all.length === 0 ? null : Math.max(...all);
}

function lastOf(values: SeriesValues | undefined): number | null {
  return measuredValues(values).at(-1) ?? null;
}

function renderGrowth(values: SeriesValues | undefined): string {
  const all = measuredValues(values);
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined || last === undefined) return "-";
  return `${last < first ? "-" : "+"}${formatBytes(Math.abs(last - first))}`;
}

/** PM2 counts from its own start, so a smaller number begins a new count. */
function countRestarts(values: SeriesValues | undefined): string {
  const all = measuredValues(values);
  if (all.length === 0) return "-";
  return String(all.reduce((sum, value, at) => sum + Math.max(0, value - (all[at - 1] ?? value)), 0));
}

/** Scales to the smallest and largest value, because the shape matters. */
function renderTrend(values: SeriesValues | undefined): string {
  const all = downsample(values ?? []);
  const measured = measuredValues(all);
  const [min, max] = [Math.min(...measured), Math.max(...measured)];
  const scaled = all.map((value) => (value === null ? null : max === min ? 0 : ((value - min) / (max - min)) * 100));
  return renderSparkline(scaled, SPARKLINE_WIDTH);
}

function downsample(values: SeriesValues): (number | null)[] {
  const width = Math.max(1, Math.ceil(values.length / SPARKLINE_WIDTH));
  return Array.from({ length: Math.ceil(values.length / width) }, (_, index) =>
    meanOf(values.slice(index * width, (index + 1) * width)),
  );
}
