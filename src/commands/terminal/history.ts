import type { HistoryResponse } from "../../core/index.ts";
import { bytes, percent } from "./metrics.ts";
import type { Screen } from "./screen.ts";
import { renderTable, type Column } from "./table.ts";
import { sparkline } from "./watch/bars.ts";

type Series = HistoryResponse["series"][number];
type Values = readonly (number | null)[];

const WIDTH = 24;

interface Row {
  readonly app: string;
  readonly pmId: number;
  readonly cpu: Series | undefined;
  readonly memory: Series | undefined;
  readonly restarts: Series | undefined;
}

export function renderHistory({ series }: HistoryResponse, screen: Screen): string {
  const ofHost = series.filter(({ app }) => app === null);
  if (ofHost.length > 0) return renderTable(HOST_COLUMNS, ofHost, screen);
  const rows = new Map<string, Row>();
  for (const { app, pmId } of series) {
    if (app === null || pmId === null) continue;
    const find = (metric: string) =>
      series.find((one) => one.app === app && one.pmId === pmId && one.metric === metric);
    const row = { app, pmId, cpu: find("cpuPercent"), memory: find("memoryBytes"), restarts: find("restartCount") };
    rows.set(`${app}/${pmId}`, row);
  }
  return renderTable(PROCESS_COLUMNS, [...rows.values()], screen);
}

const PROCESS_COLUMNS: readonly Column<Row>[] = [
  { heading: "NAME", cell: ({ app }) => app, shorten: "middle" },
  { heading: "ID", cell: ({ pmId }) => String(pmId), side: "right" },
  { heading: "CPU", cell: ({ cpu }) => percent(meanOf(cpu?.mean)), side: "right" },
  { heading: "MAX", cell: ({ cpu }) => percent(maxOf(cpu?.max)), side: "right", spare: 3 },
  { heading: "MEMORY", cell: ({ memory }) => bytes(lastOf(memory?.mean)), side: "right" },
  { heading: "MAX", cell: ({ memory }) => bytes(maxOf(memory?.max)), side: "right", spare: 2 },
  { heading: "GROWTH", cell: ({ memory }) => growth(memory?.mean), side: "right" },
  { heading: "RESTARTS", cell: ({ restarts }) => restartsIn(restarts?.max), side: "right", spare: 1 },
  { heading: "MEMORY OVER TIME", cell: ({ memory }) => shape(memory?.mean), spare: 4 },
];

const HOST_COLUMNS: readonly Column<Series>[] = [
  { heading: "METRIC", cell: ({ metric }) => metric },
  { heading: "MEAN", cell: ({ mean }) => percent(meanOf(mean)), side: "right" },
  { heading: "MAX", cell: ({ max }) => percent(maxOf(max)), side: "right" },
  { heading: "LAST", cell: ({ mean }) => percent(lastOf(mean)), side: "right" },
  { heading: "OVER TIME", cell: ({ mean }) => sparkline(thinned(mean), WIDTH) },
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
              field(app ?? ""),
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
function field(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function measured(values: Values = []): number[] {
  return values.filter((value) => value !== null);
}

function meanOf(values: Values | undefined): number | null {
  const all = measured(values);
  return all.length === 0 ? null : all.reduce((sum, value) => sum + value, 0) / all.length;
}

function maxOf(values: Values | undefined): number | null {
  const all = measured(values);
  return all.length === 0 ? null : Math.max(...all);
}

function lastOf(values: Values | undefined): number | null {
  return measured(values).at(-1) ?? null;
}

function growth(values: Values | undefined): string {
  const all = measured(values);
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined || last === undefined) return "-";
  return `${last < first ? "-" : "+"}${bytes(Math.abs(last - first))}`;
}

/** PM2 counts from its own start, so a smaller number begins a new count. */
function restartsIn(values: Values | undefined): string {
  const all = measured(values);
  if (all.length === 0) return "-";
  return String(all.reduce((sum, value, at) => sum + Math.max(0, value - (all[at - 1] ?? value)), 0));
}

/** Scales to the smallest and largest value, because the shape matters. */
function shape(values: Values | undefined): string {
  const all = thinned(values ?? []);
  const known = measured(all);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const scaled = all.map((value) =>
    value === null ? null : most === least ? 0 : ((value - least) / (most - least)) * 100,
  );
  return sparkline(scaled, WIDTH);
}

function thinned(values: Values): (number | null)[] {
  const width = Math.max(1, Math.ceil(values.length / WIDTH));
  return Array.from({ length: Math.ceil(values.length / width) }, (_, at) =>
    meanOf(values.slice(at * width, (at + 1) * width)),
  );
}
