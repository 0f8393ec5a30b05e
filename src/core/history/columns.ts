import { hostHistoryMetrics, processHistoryMetrics } from "../api/names.ts";
import { compareText } from "../api/issue.ts";
import type { HistoryColumns } from "../api/history.ts";
import { Aggregate } from "./aggregate.ts";
import type { SeriesFilter, SeriesName } from "./selectors.ts";
import { MINUTE_MS, STEP_MS, type Recorded, type Step } from "./step.ts";

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
