import { MINUTE_MS, type Recorded, type Step } from "./step.ts";

interface Tally {
  count: number;
  sum: number;
  max: number;
}

export class Aggregate {
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
