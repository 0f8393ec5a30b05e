import { hostHistoryMetrics, processHistoryMetrics } from "../api/names.ts";
import { compareText } from "../api/issue.ts";
import type { HistoryColumns } from "../api/history.ts";
import { MINUTE_MS, type Recorded, STEP_MS, type Step } from "./step.ts";
import { SvcmError } from "../api/errors.ts";

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
}

/** If more steps are missing, the recorder was not running. */
const MAX_MISSED_STEPS = 3;
const NICE_STEPS_MS = [
  STEP_MS,
  20_000,
  30_000,
  ...[1, 2, 5, 10, 15, 20, 30, 60, 120, 240, 360].map((minutes) => minutes * MINUTE_MS),
];

/** At most `points` points (or one more), at times that stay the same from request to request. */
export function alignSpan(request: {
  readonly from: number;
  readonly to: number;
  readonly points: number;
  readonly minStepMs?: number;
}): Span {
  const { from, to, points, minStepMs = STEP_MS } = request;
  const shortestMs = Math.max(minStepMs, (to - from) / points);
  const stepMs = NICE_STEPS_MS.find((step) => step >= shortestMs) ?? Math.ceil(shortestMs / MINUTE_MS) * MINUTE_MS;
  return { fromMs: Math.floor(from / stepMs) * stepMs, toMs: to, stepMs };
}

export class ColumnBuilder {
  readonly #span: Span;
  readonly #isSelected: SeriesFilter;
  readonly #sourceStepMs: number;
  readonly #points = new Map<number, Aggregate>();
  readonly #times: number[] = [];

  /** @param sourceStepMs milliseconds between two steps of the source */
  constructor(span: Span, isSelected: SeriesFilter, sourceStepMs = span.stepMs < MINUTE_MS ? STEP_MS : MINUTE_MS) {
    this.#span = span;
    this.#isSelected = isSelected;
    this.#sourceStepMs = sourceStepMs;
  }

  add(step: Step): void {
    const { fromMs, toMs, stepMs } = this.#span;
    if (step.atMs < fromMs || step.atMs >= toMs) return;
    const index = Math.floor((step.atMs - fromMs) / stepMs);
    const point = this.#points.get(index) ?? new Aggregate();
    this.#points.set(index, point);
    point.add(step);
    this.#times.push(step.atMs);
  }

  result(): HistoryColumns {
    const { fromMs, toMs, stepMs } = this.#span;
    const length = Math.ceil((toMs - fromMs) / stepMs);
    const points = [...this.#points].map(([index, point]) => [index, point.step(0)] as const);
    const keys = new Set(points.flatMap(([, { processes }]) => Object.keys(processes)));
    const names = [...hostSeries, ...[...keys].toSorted(compareText).flatMap(processSeries)].filter(this.#isSelected);
    const series = names.map(({ column, ...name }) => {
      const mean = Array.from({ length }, (): number | null => null);
      const max = [...mean];
      for (const [index, { host, processes }] of points) {
        const row = name.app === null ? host : processes[`${name.app}/${name.pmId}`];
        const [average, highest] = meanAndMax(row?.[column] ?? null);
        mean[index] = average;
        max[index] = highest;
      }
      return { ...name, mean, max };
    });
    const measured = series.filter(({ mean }) => mean.some((value) => value !== null));
    return {
      from: fromMs,
      step: stepMs,
      series: measured,
      gaps: findGaps(this.#times, this.#span, this.#sourceStepMs),
    };
  }
}

const hostSeries = hostHistoryMetrics.map((metric, column): SeriesName => ({ app: null, pmId: null, metric, column }));

function processSeries(key: string): SeriesName[] {
  const slash = key.lastIndexOf("/");
  const [app, pmId] = [key.slice(0, slash), Number(key.slice(slash + 1))];
  return processHistoryMetrics.map((metric, column) => ({ app, pmId, metric, column }));
}

function meanAndMax(value: Recorded): readonly [number | null, number | null] {
  return value === null || typeof value === "number" ? [value, value] : value;
}

function findGaps(times: readonly number[], { fromMs, toMs }: Span, sourceStepMs: number): [number, number][] {
  const all = [fromMs - sourceStepMs, ...times.toSorted((a, b) => a - b), toMs];
  return all.flatMap((before, at): [number, number][] => {
    const next = all[at + 1];
    return next === undefined || next - before <= MAX_MISSED_STEPS * sourceStepMs
      ? []
      : [[Math.max(fromMs, before + sourceStepMs), next]];
  });
}

interface Tally {
  count: number;
  sum: number;
  max: number;
}

class Aggregate {
  readonly #host: Tally[] = [];
  readonly #processes = new Map<string, Tally[]>();

  add({ host, processes }: Step): void {
    addRow(this.#host, host);
    for (const [key, row] of Object.entries(processes)) {
      const tallies = this.#processes.get(key) ?? [];
      this.#processes.set(key, tallies);
      addRow(tallies, row);
    }
  }

  step(atMs: number): Step {
    const processes = [...this.#processes].map(([key, tallies]) => [key, tallies.map(toRecorded)] as const);
    return { atMs, host: this.#host.map(toRecorded), processes: Object.fromEntries(processes) };
  }
}

export function aggregateMinutes(steps: readonly Step[]): Step[] {
  const minutes = new Map<number, Aggregate>();
  for (const step of steps) {
    const minute = Math.floor(step.atMs / MINUTE_MS) * MINUTE_MS;
    const aggregate = minutes.get(minute) ?? new Aggregate();
    minutes.set(minute, aggregate);
    aggregate.add(step);
  }
  return [...minutes].map(([atMs, aggregate]) => aggregate.step(atMs));
}

function addRow(tallies: Tally[], row: readonly Recorded[]): void {
  for (const [column, value] of row.entries()) {
    const tally = (tallies[column] ??= { count: 0, sum: 0, max: -Infinity });
    if (value === null) continue;
    const [mean, max] = typeof value === "number" ? [value, value] : value;
    tally.count += 1;
    tally.sum += mean;
    tally.max = Math.max(tally.max, max);
  }
}

/** Percentages are not measured more precisely than tenths. */
function toRecorded({ count, sum, max }: Tally): Recorded {
  if (count === 0) return null;
  const mean = sum / count;
  return [mean < 1000 ? Math.round(mean * 10) / 10 : Math.round(mean), max];
}

interface SeriesName {
  /** Null for the host. */
  readonly app: string | null;
  readonly pmId: number | null;
  readonly metric: string;
  readonly column: number;
}

export interface SeriesSelector {
  readonly isHost: boolean;
  /** Absent for every process. */
  readonly app?: string | undefined;
  readonly pmId?: number | undefined;
  readonly metric?: string | undefined;
}

type SeriesFilter = (series: SeriesName) => boolean;

const ACCEPTED =
  "host, the name of a process, its name and PM2 id such as api/0, or * for every process, each with or without a metric such as :memoryBytes; several with a comma between them";
const metrics: readonly string[] = [...new Set([...hostHistoryMetrics, ...processHistoryMetrics])];

/**
 * Parses a text such as `host,orders-api/0:memoryBytes`; special characters of a name are percent-encoded.
 * @param text `undefined` or empty selects every series
 * @throws {SvcmError} INVALID_REQUEST
 */
export function parseSelectors(text: string | undefined): readonly SeriesSelector[] {
  return text === undefined ? [] : text.split(",").map(parseSelector);
}

export function seriesFilter(selectors: readonly SeriesSelector[]): SeriesFilter {
  return ({ app, pmId, metric }) =>
    selectors.length === 0 ||
    selectors.some(
      (one) =>
        one.isHost === (app === null) &&
        (one.app ?? app) === app &&
        (one.pmId ?? pmId) === pmId &&
        (one.metric ?? metric) === metric,
    );
}

function parseSelector(text: string): SeriesSelector {
  const [, encodedName = "", id, metric] = /^([^/:]+)(?:\/(\d{1,9}))?(?::(\w+))?$/.exec(text) ?? [];
  const name = decodeName(encodedName);
  if (name === undefined || (metric !== undefined && !metrics.includes(metric))) throw seriesRefusal(text);
  if (encodedName === "host" && id === undefined) return { isHost: true, metric };
  const pmId = id === undefined ? undefined : Number(id);
  return { isHost: false, app: encodedName === "*" ? undefined : name, pmId, metric };
}

export function encodeSeriesApp(app: string): string {
  return app === "host" ? "%68ost" : encodeURIComponent(app).replaceAll("*", "%2A");
}

function decodeName(text: string): string | undefined {
  try {
    return text === "" ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function seriesRefusal(text: string): SvcmError {
  const excerpt = JSON.stringify(text.slice(0, 80));
  return new SvcmError("INVALID_REQUEST", {
    details: `series: ${excerpt} is not a series. Accepted: ${ACCEPTED}. Metrics: ${metrics.join(", ")}.`,
  });
}
