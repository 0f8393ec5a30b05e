import { hostHistoryMetrics, processHistoryMetrics } from "../api/names.ts";
import { compareText } from "../api/issue.ts";
import type { HistoryColumns } from "../api/history.ts";
import { Combined } from "./combine.ts";
import type { Choice, SeriesName } from "./selectors.ts";
import { MINUTE_MS, STEP_MS, type Recorded, type Step } from "./step.ts";

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
}

/** If this many steps are missing, the recorder was not running. */
const MISSED = 3;
const NICE_STEPS_MS = [
  STEP_MS,
  20_000,
  30_000,
  ...[1, 2, 5, 10, 15, 20, 30, 60, 120, 240, 360].map((minutes) => minutes * MINUTE_MS),
];

/** At most `points` points (or one more), at times that stay the same from request to request. */
export function spanOf(asked: {
  readonly from: number;
  readonly to: number;
  readonly points: number;
  readonly leastStepMs?: number;
}): Span {
  const { from, to, points, leastStepMs = STEP_MS } = asked;
  const least = Math.max(leastStepMs, (to - from) / points);
  const stepMs = NICE_STEPS_MS.find((step) => step >= least) ?? Math.ceil(least / MINUTE_MS) * MINUTE_MS;
  return { fromMs: Math.floor(from / stepMs) * stepMs, toMs: to, stepMs };
}

/** Steps are added in any order. */
export class Columns {
  readonly #span: Span;
  readonly #isChosen: Choice;
  readonly #usualMs: number;
  readonly #points = new Map<number, Combined>();
  readonly #times: number[] = [];

  /** @param usualMs milliseconds between two steps of the source */
  constructor(span: Span, isChosen: Choice, usualMs = span.stepMs < MINUTE_MS ? STEP_MS : MINUTE_MS) {
    this.#span = span;
    this.#isChosen = isChosen;
    this.#usualMs = usualMs;
  }

  add(step: Step): void {
    const { fromMs, toMs, stepMs } = this.#span;
    if (step.atMs < fromMs || step.atMs >= toMs) return;
    const place = Math.floor((step.atMs - fromMs) / stepMs);
    const point = this.#points.get(place) ?? new Combined();
    this.#points.set(place, point);
    point.add(step);
    this.#times.push(step.atMs);
  }

  result(): HistoryColumns {
    const { fromMs, toMs, stepMs } = this.#span;
    const length = Math.ceil((toMs - fromMs) / stepMs);
    const points = [...this.#points].map(([place, point]) => [place, point.step(0)] as const);
    const keys = new Set(points.flatMap(([, { processes }]) => Object.keys(processes)));
    const names = [...hostSeries, ...[...keys].toSorted(compareText).flatMap(processSeries)].filter(this.#isChosen);
    const series = names.map(({ column, ...name }) => {
      const mean = Array.from({ length }, (): number | null => null);
      const max = [...mean];
      for (const [place, { host, processes }] of points) {
        const row = name.app === null ? host : processes[`${name.app}/${name.pmId}`];
        const [value, most] = pairOf(row?.[column] ?? null);
        mean[place] = value;
        max[place] = most;
      }
      return { ...name, mean, max };
    });
    const measured = series.filter(({ mean }) => mean.some((value) => value !== null));
    return { from: fromMs, step: stepMs, series: measured, gaps: gapsOf(this.#times, this.#span, this.#usualMs) };
  }
}

const hostSeries = hostHistoryMetrics.map((metric, column): SeriesName => ({ app: null, pmId: null, metric, column }));

function processSeries(key: string): SeriesName[] {
  const slash = key.lastIndexOf("/");
  const [app, pmId] = [key.slice(0, slash), Number(key.slice(slash + 1))];
  return processHistoryMetrics.map((metric, column) => ({ app, pmId, metric, column }));
}

function pairOf(value: Recorded): readonly [number | null, number | null] {
  return value === null || typeof value === "number" ? [value, value] : value;
}

function gapsOf(times: readonly number[], { fromMs, toMs }: Span, usual: number): [number, number][] {
  const all = [fromMs - usual, ...times.toSorted((a, b) => a - b), toMs];
  return all.flatMap((before, at): [number, number][] => {
    const next = all[at + 1];
    return next === undefined || next - before <= MISSED * usual ? [] : [[Math.max(fromMs, before + usual), next]];
  });
}
