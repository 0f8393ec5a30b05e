import type { ProcessMetrics } from "../api/metrics.ts";
import type { Sample } from "../metrics/telemetry.ts";

export interface MemoryGrowth {
  readonly bytesPerHour: number;
  /** Until the machine has no available memory at this rate. */
  readonly hoursLeft: number;
}

interface Point {
  readonly atMs: number;
  readonly bytes: number;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const WINDOW_MS = 6 * HOUR_MS;
const MIN_WINDOW_MS = HOUR_MS;
const HOURS_AHEAD = 24;
/** A straight line must explain this share of the differences. */
const MIN_FIT = 0.8;

export function processLabel({ name, pmId }: Pick<ProcessMetrics, "name" | "pmId">): string {
  return `${name} (${pmId})`;
}

export class MemoryTrend {
  readonly #points = new Map<string, Point[]>();

  /** Returns the processes that will use up the memory within a day. */
  add(sample: Sample): ReadonlyMap<string, MemoryGrowth> {
    if (sample.kind === "host") return new Map();
    const { processes, host, collectedAt } = sample.payload;
    const atMs = Date.parse(collectedAt);
    const labels = new Set<string>();
    for (const process of processes) {
      const label = processLabel(process);
      labels.add(label);
      if (process.memoryBytes !== null) this.#addPoint(label, { atMs, bytes: process.memoryBytes });
    }
    for (const label of this.#points.keys()) if (!labels.has(label)) this.#points.delete(label);
    const availableBytes = host.memory.availableBytes ?? Infinity;
    const growing = [...this.#points].flatMap(([label, points]) => {
      const growth = measureGrowth(points, availableBytes);
      return growth === undefined ? [] : [[label, growth] as const];
    });
    return new Map(growing);
  }

  #addPoint(label: string, point: Point): void {
    const points = this.#points.get(label) ?? [];
    this.#points.set(label, points);
    const last = points.at(-1);
    // If the clock was set back, a new series begins.
    if (last !== undefined && point.atMs < last.atMs) points.length = 0;
    else if (last !== undefined && point.atMs - last.atMs < MINUTE_MS) return;
    points.push(point);
    while ((points[0]?.atMs ?? 0) < point.atMs - WINDOW_MS) points.shift();
  }
}

/** `undefined` unless the memory grows steadily and ends within a day. @param points oldest first */
export function measureGrowth(points: readonly Point[], availableBytes: number): MemoryGrowth | undefined {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || last.atMs - first.atMs < MIN_WINDOW_MS) return undefined;
  const meanAt = points.reduce((sum, { atMs }) => sum + atMs - first.atMs, 0) / points.length;
  const meanBytes = points.reduce((sum, { bytes }) => sum + bytes, 0) / points.length;
  let [covariance, spreadAt, spreadBytes] = [0, 0, 0];
  for (const { atMs, bytes } of points) {
    const [x, y] = [atMs - first.atMs - meanAt, bytes - meanBytes];
    covariance += x * y;
    spreadAt += x * x;
    spreadBytes += y * y;
  }
  const bytesPerHour = (covariance / spreadAt) * HOUR_MS;
  const fit = spreadBytes === 0 ? 0 : covariance ** 2 / (spreadAt * spreadBytes);
  const hoursLeft = availableBytes / bytesPerHour;
  return bytesPerHour > 0 && fit >= MIN_FIT && hoursLeft <= HOURS_AHEAD ? { bytesPerHour, hoursLeft } : undefined;
}
