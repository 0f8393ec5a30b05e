import type { HasWorkspace } from "../../project/port-repository.ts";
import { type HasClock, type HasHost, FileError } from "../../files/ports.ts";
import type {
  HasHistoryFiles,
  HasPrometheus,
  HasRecorder,
  HistoryFiles,
  RangeQuery,
  RangeSeries,
} from "../port-history.ts";
import type { HistoryColumns, HistoryResponse, RecorderResponse } from "../../api/history.ts";
import { ColumnBuilder, type SeriesSelector, type Span, alignSpan, parseSelectors, seriesFilter } from "../columns.ts";
import { type Part, partName, selectParts, sizeOf, startOf } from "../parts.ts";
import { MINUTE_MS, parseStep, type Step, type Recorded } from "../step.ts";
import { SvcmError } from "../../api/errors.ts";
import { defineOperation } from "../../access/operation.ts";
import { serverIdentity } from "../../access/rights.ts";
import type { Audited } from "../../access/ports.ts";
import { withAudit } from "../../access/with-audit.ts";
import { hostHistoryMetrics, processHistoryMetrics } from "../../api/names.ts";

/** The ports of the larger functions of this room. */
interface HistoryPorts extends HasClock, HasHistoryFiles, HasHost, HasPrometheus, HasRecorder, HasWorkspace {}

/** Switches the recorder on or off until the server stops. `record: true` in svcm.yaml switches it on at each start. */
export const historyRecord = defineOperation({
  id: "history.record",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports: Audited & HasHistoryFiles & HasRecorder, { on }, caller): Promise<RecorderResponse> {
    const { recorder, historyFiles } = ports;
    await withAudit(ports, caller, { action: "history.record", target: on ? "on" : "off" }, async ({ begin }) => {
      if (recorder.state.on === on) return;
      await begin();
      if (on) recorder.start("request");
      else await recorder.stop();
    });
    return { ...recorder.state, ...(await readExtent(historyFiles, await historyFiles.list())) };
  },
});

const HOUR_MS = 3_600_000;
const DEFAULT_POINTS = 500;
const MAX_UNREADABLE = 20;

type Unreadable = HistoryResponse["unreadable"][number];

interface Range {
  readonly from: number;
  readonly to: number;
  readonly points: number;
  readonly selectors: readonly SeriesSelector[];
}

/**
 * Reads the recorded history; nothing needs to be running. If the range begins before the recording, or has no recorded
 * data, it comes from Prometheus, if configured.
 * @throws {SvcmError} HISTORY_FAILED, INVALID_REQUEST
 */
export const historyShow = defineOperation({
  id: "history.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: HistoryPorts, input, { signal }): Promise<HistoryResponse> {
    const { to = ports.clock.now(), points = DEFAULT_POINTS } = input;
    const { from = Math.max(0, to - HOUR_MS) } = input;
    if (from >= to)
      throw new SvcmError("INVALID_REQUEST", {
        details: "from: the time is not before to. Accepted: an earlier time.",
      });
    const range = { from, to, points, selectors: parseSelectors(input.series) };
    const parts = await ports.historyFiles.list().catch(throwRefusal);
    const extent = await readExtent(ports.historyFiles, parts);
    const unreadable: Unreadable[] = [];
    const beginsBeforeRecording = extent.since === null || extent.since > from;
    const recorded =
      beginsBeforeRecording && ports.prometheus.isConfigured
        ? undefined
        : await fromFiles(ports, range, parts, { unreadable, signal });
    const usesPrometheus = ports.prometheus.isConfigured && (recorded === undefined || recorded.series.length === 0);
    return {
      ...(recorded === undefined || usesPrometheus ? await fromPrometheus(ports, range, signal) : recorded),
      recorder: { ...ports.recorder.state, ...extent },
      unreadable: unreadable.slice(0, MAX_UNREADABLE),
    };
  },
});

async function fromFiles(
  ports: HasHistoryFiles,
  { selectors, ...range }: Range,
  parts: readonly Part[],
  { unreadable, signal }: { readonly unreadable: Unreadable[]; readonly signal: AbortSignal | undefined },
): Promise<HistoryColumns> {
  const span = alignSpan(range);
  const wanted = span.stepMs < MINUTE_MS ? "steps" : "minutes";
  const columns = new ColumnBuilder(span, seriesFilter(selectors));
  for (const part of selectParts(parts, { ...span, wanted })) {
    signal?.throwIfAborted();
    for (const step of await stepsIn(ports, part, unreadable)) columns.add(step);
  }
  return columns.result();
}

async function fromPrometheus(
  ports: HasHost & HasPrometheus & HasWorkspace,
  { selectors, ...range }: Range,
  signal: AbortSignal | undefined,
): Promise<HistoryColumns> {
  const span = alignSpan({ ...range, minStepMs: MINUTE_MS });
  const query = rangeQuery(span, selectors, await serverIdentity(ports));
  const columns = new ColumnBuilder(span, seriesFilter(selectors), span.stepMs);
  for (const step of toSteps(await ports.prometheus.queryRange(query, signal), span)) columns.add(step);
  return columns.result();
}

/** The steps of a file. Reports damage and skips lines that cannot be read. */
async function stepsIn(ports: HasHistoryFiles, { name, hour, kind }: Part, unreadable: Unreadable[]): Promise<Step[]> {
  try {
    const { lines, damage } = await ports.historyFiles.read(name);
    const steps = lines.map(parseStep);
    const torn = steps.filter((step, at) => step === undefined && !(lines[at] ?? "").startsWith('{"columns":')).length;
    if (damage !== undefined || torn > 0)
      unreadable.push({ file: name, lines: torn, code: damage ?? "HISTORY_LINE_TORN" });
    return steps.flatMap((step) => step ?? []);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    // The hour was closed after the files were listed.
    if (error.code === "ENOENT" && kind === "open")
      return stepsIn(ports, { name: partName(hour, "steps"), hour, kind: "steps", bytes: 0 }, unreadable);
    unreadable.push({ file: name, lines: 0, code: error.code });
    return [];
  }
}

function throwRefusal(error: unknown): never {
  if (!(error instanceof FileError)) throw error;
  throw new SvcmError("HISTORY_FAILED", { code: error.code, path: error.path, details: error.message });
}

/** Closed hours do not change, so the oldest one is read once. */
const firstMoments = new WeakMap<HistoryFiles, { readonly partsId: string; readonly sinceMs: number }>();

/** The first recorded moment, in milliseconds since 1970, and the size of all files. */
export async function readExtent(
  files: HistoryFiles,
  parts: readonly Part[],
): Promise<{ readonly since: number | null; readonly bytes: number }> {
  const firstHour = Math.min(...parts.map(startOf));
  const oldest = parts.filter((part) => startOf(part) === firstHour);
  return { since: oldest.length === 0 ? null : await firstMomentOf(files, oldest), bytes: sizeOf(parts) };
}

async function firstMomentOf(files: HistoryFiles, oldest: readonly Part[]): Promise<number> {
  const ids = oldest.map(({ name, bytes }) => `${name} ${bytes}`);
  const partsId = ids.toSorted().join("\n");
  const known = firstMoments.get(files);
  if (known?.partsId === partsId) return known.sinceMs;
  const moments = await Promise.all(oldest.map((part) => readFirstMoment(files, part)));
  const sinceMs = Math.min(...oldest.map((part, index) => moments[index] ?? startOf(part)));
  const isClosed = oldest.every(({ kind }) => kind !== "open");
  if (isClosed && !moments.includes(undefined)) firstMoments.set(files, { partsId, sinceMs });
  return sinceMs;
}

/** The start of the hour if no step of it can be read, `undefined` if the file cannot be read. */
async function readFirstMoment(files: HistoryFiles, part: Part): Promise<number | undefined> {
  try {
    const { lines } = await files.read(part.name);
    for (const line of lines) {
      const step = parseStep(line);
      if (step !== undefined) return step.atMs;
    }
    return startOf(part);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return undefined;
  }
}

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
