import { interval } from "../../core/api/channel.ts";

/** Seconds between two samples from which on samples are missing between them. */
export const LONGEST_STEP = (3 * interval.max) / 1000;

/** A part of time, in seconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Values over time in one ring: the newest take the place of the oldest. Times are in seconds. */
export interface Series {
  /** Where it was not measured a value is null: a gap. */
  push(time: number, values: readonly (number | null | undefined)[]): void;
  /** The times of a span, and the values of each of the columns. */
  read(span: Span, columns: readonly number[]): SeriesPart;
  /** Puts the values of a span into as many equal parts of it as there is room: of each part the last one. */
  spread(column: number, span: Span, into: Float32Array): void;
  readonly length: number;
}

export type SeriesPart = [times: number[], ...values: (number | null)[][]];

/** A quarter of an hour at two samples a second. */
export const CAPACITY = 1_800;

export function createSeries(columns: number, capacity: number = CAPACITY): Series {
  const times = new Float64Array(capacity);
  const values = Array.from({ length: columns }, () => new Float32Array(capacity));
  let [start, length] = [0, 0];
  const at = (index: number): number => (start + index) % capacity;
  return {
    get length() {
      return length;
    },
    push(time, next) {
      const slot = at(length);
      times[slot] = time;
      values.forEach((column, index) => (column[slot] = next[index] ?? Number.NaN));
      if (length < capacity) length += 1;
      else start = at(1);
    },
    read({ from, to }, wanted) {
      const slots = Array.from({ length }, (_, index) => at(index)).filter((slot) => {
        const time = times[slot] ?? 0;
        return time >= from && time <= to;
      });
      const read = (which: number): (number | null)[] => slots.map((slot) => numberOrGap(values[which]?.[slot]));
      return [slots.map((slot) => times[slot] ?? 0), ...wanted.map(read)];
    },
    spread(column, { from, to }, into) {
      const source = values[column];
      let [before, last] = [-Infinity, 0];
      for (let index = 0; index < length; index += 1) {
        const time = times[at(index)] ?? 0;
        if (time < from || time > to) continue;
        const part = Math.min(Math.floor(((time - from) / (to - from)) * into.length), into.length - 1);
        // Samples are farther apart than the parts of a short span.
        into.fill(
          source?.[at(index)] ?? Number.NaN,
          time - before > LONGEST_STEP ? part : Math.min(last + 1, part),
          part + 1,
        );
        [before, last] = [time, part];
      }
    },
  };
}

function numberOrGap(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}

export interface Extent {
  readonly min: number | null;
  readonly average: number | null;
  readonly max: number | null;
}

/** Least, mean and most of what was measured. */
export function extentOf(values: readonly (number | null)[]): Extent {
  let [min, max, sum, count] = [Infinity, -Infinity, 0, 0];
  for (const value of values) {
    if (value === null) continue;
    min = Math.min(min, value);
    max = Math.max(max, value);
    sum += value;
    count += 1;
  }
  return count === 0 ? { min: null, average: null, max: null } : { min, average: sum / count, max };
}
