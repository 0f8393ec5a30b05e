import { hostHistoryMetrics, processHistoryMetrics } from "../api/names.ts";
import type { RangeQuery, RangeSeries } from "./port-history.ts";
import type { Span } from "./columns.ts";
import type { SeriesSelector } from "./selectors.ts";
import { MINUTE_MS, type Recorded, type Step } from "./step.ts";

type Expressions = (window: string) => readonly [mean: string, max: string];

/** Contains at least two scrapes if Prometheus scrapes once a minute. */
const MIN_WINDOW_MS = 2 * MINUTE_MS;
const VALUES = "svcm_values";

const over = (kind: "avg" | "min" | "max", metric: string, window: string): string =>
  `${kind}_over_time(${metric}[${window}])`;
const values =
  (metric: string, factor = 1): Expressions =>
  (window) => [`${factor} * ${over("avg", metric, window)}`, `${factor} * ${over("max", metric, window)}`];
const rate =
  (metric: string): Expressions =>
  (window) => [`rate(${metric}[${window}])`, `rate(${metric}[${window}])`];

const memoryPercent: Expressions = (window) => {
  const total = over("avg", "svcm_host_memory_total_bytes", window);
  const used = (kind: "avg" | "max"): string => over(kind, "svcm_host_memory_used_bytes", window);
  return [`100 * ${used("avg")} / ${total}`, `100 * ${used("max")} / ${total}`];
};

/** As `df` counts: relative to the space for unprivileged users. */
const diskPercent: Expressions = (window) => {
  const of = (kind: "avg" | "min", name: string): string =>
    over(kind, `svcm_host_disk_${name}_bytes{path="/"}`, window);
  const percent = (kind: "avg" | "min"): string => {
    const used = `(${of("avg", "total")} - ${of(kind, "free")})`;
    return `100 * ${used} / (${used} + ${of(kind, "available")})`;
  };
  return [percent("avg"), percent("min")];
};

const HOST: Readonly<Record<(typeof hostHistoryMetrics)[number], Expressions>> = {
  cpuPercent: values("svcm_host_cpu_usage_ratio", 100),
  memoryPercent,
  diskPercent,
};

const PROCESS: Readonly<Record<(typeof processHistoryMetrics)[number], Expressions>> = {
  cpuPercent: values("svcm_process_cpu_usage_ratio", 100),
  memoryBytes: values("svcm_process_resident_memory_bytes"),
  readBytesPerSecond: rate("svcm_process_disk_read_bytes_total"),
  writeBytesPerSecond: rate("svcm_process_disk_written_bytes_total"),
  restartCount: values("svcm_process_restarts_total"),
};

/** A single query for the given metrics of the server with this identity, whatever its job and instance. */
export function rangeQuery(
  { fromMs, toMs, stepMs }: Span,
  selectors: readonly SeriesSelector[],
  server: string,
): RangeQuery {
  const window = `${Math.max(stepMs, MIN_WINDOW_MS)}ms`;
  const ofServer = `on (job, instance) last_over_time(svcm_build_info{server=${JSON.stringify(server)}}[${window}])`;
  const labelled = (expression: string, by: string, position: string): string =>
    `label_replace(max by (${by}) ((${expression}) and ${ofServer}), "${VALUES}", "${position}", "", "")`;
  const isWanted = (isHost: boolean, metric: string): boolean =>
    selectors.length === 0 || selectors.some((one) => one.isHost === isHost && (one.metric ?? metric) === metric);
  const host = hostHistoryMetrics.flatMap((metric, column) =>
    isWanted(true, metric)
      ? HOST[metric](window).map((expression, statistic) => labelled(expression, "", `${column}/${statistic}`))
      : [],
  );
  const processes = processHistoryMetrics.flatMap((metric, column) =>
    isWanted(false, metric)
      ? PROCESS[metric](window).map((expression, statistic) =>
          labelled(expression, "name, pm_id", `${column}/${statistic}`),
        )
      : [],
  );
  const query = [...host, ...processes].join(" or ");
  const length = Math.ceil((toMs - fromMs) / stepMs);
  // A value covers the time before it, and a point covers the time after it.
  return { query, startMs: fromMs + stepMs, endMs: fromMs + length * stepMs, stepMs };
}

export function toSteps(series: readonly RangeSeries[], { fromMs, stepMs }: Span): Step[] {
  const steps = new Map<number, { readonly host: Recorded[]; readonly processes: Record<string, Recorded[]> }>();
  for (const { metric, values: points } of series) {
    const { [VALUES]: position = "", name, pm_id: pmId } = metric;
    const [column = 0, statistic] = position.split("/").map(Number);
    for (const [seconds, text] of points) {
      const value = Number(text);
      if (!Number.isFinite(value)) continue;
      const atMs = Math.round((seconds * 1000 - fromMs) / stepMs - 1) * stepMs + fromMs;
      const step = steps.get(atMs) ?? { host: [], processes: {} };
      steps.set(atMs, step);
      const row = name === undefined ? step.host : (step.processes[`${name}/${pmId}`] ??= []);
      const [mean, max] = pairWith(row[column], value);
      row[column] = statistic === 0 ? [value, max] : [mean, value];
    }
  }
  return [...steps].map(([atMs, { host, processes }]) => ({
    atMs,
    host: fillRow(host),
    processes: Object.fromEntries(Object.entries(processes).map(([key, row]) => [key, fillRow(row)])),
  }));
}

function pairWith(value: Recorded | undefined, otherwise: number): readonly [number, number] {
  return Array.isArray(value) ? (value as [number, number]) : [otherwise, otherwise];
}

function fillRow(row: readonly Recorded[]): Recorded[] {
  return Array.from(row, (value) => value ?? null);
}
