import * as Flags from "@oclif/core/flags";
import { historyShow, encodeSeriesApp, type HistoryResponse } from "../../core/index.ts";
import { namesArg } from "../terminal/flags.ts";
import { NodeCommand } from "../terminal/node-command.ts";
import { UsageError } from "../terminal/errors.ts";
import { sinceOptions, formatBytes, formatPercent, renderSparkline } from "../terminal/numbers.ts";
import { readSince } from "../../core/words/time.ts";
import type { Screen } from "../terminal/screen.ts";
import { renderTable, type Column } from "../terminal/table.ts";

export default class MetricsHistory extends NodeCommand {
  static override summary = "Show the recorded past of the processes, or of the host.";
  static override description =
    "Reads what svcm serve --record wrote to .svcm/history: a value every 10 seconds for 7 days, then one-minute means and maxima for 90 days. Growth is the difference between the first and the last memory value. Neither PM2 nor a server has to run. --json and --csv show at most 500 points of each series.";
  static override examples = [
    "<%= config.bin %> metrics history",
    "<%= config.bin %> metrics history api --since 7d",
    "<%= config.bin %> metrics history --host --since 1h --csv",
    "<%= config.bin %> metrics history --json | jq '.series[] | select(.metric == \"memoryBytes\")'",
  ];
  static override args = namesArg("Exact name of a process. All of its instances are included.");
  static override flags = {
    host: Flags.boolean({ summary: "Show the host instead of processes.", default: false }),
    since: Flags.string({ ...sinceOptions("Beginning of the time range."), default: "24h" }),
    csv: Flags.boolean({ summary: "Print one line for each value, for a spreadsheet.", default: false }),
  };

  async run() {
    const { args, flags } = await this.parse(MetricsHistory);
    const { host, since, csv } = flags;
    const names = args.name ?? [];
    if (host && names.length > 0)
      throw new UsageError("Both --host and names were given.", "--host, or names of processes, not both");
    if (csv && this.jsonEnabled()) throw new UsageError("Both --csv and --json were given.", "one of them");
    const series = host ? "host" : names.length === 0 ? "*" : names.map(encodeSeriesApp).join(",");
    const now = Date.now();
    const history = await this.execute(historyShow, { series, from: readSince(since, now), to: now });
    if (this.jsonEnabled()) return history;
    if (csv) this.logExactly(historyCsv(history));
    else
      this.print((screen) =>
        history.series.length === 0 ? emptyText(history, since) : renderHistory(history, screen),
      );
    for (const { file, code } of history.unreadable)
      this.logToStderr(`${file} could not be read completely (${code}).`);
    return history;
  }
}

function emptyText({ recorder }: HistoryResponse, since: string): string {
  if (recorder.since !== null) return `Nothing of that was recorded since ${since}.`;
  return "Nothing is recorded yet. Start svcm serve --record, or add this line to svcm.yaml, which svcm init writes: record: true";
}

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

function renderHistory({ series }: HistoryResponse, screen: Screen): string {
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
function historyCsv({ from, step, series }: HistoryResponse): string {
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
