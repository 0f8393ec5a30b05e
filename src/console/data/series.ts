import { interval } from "../../core/api/channel.ts";

/** In seconds. A longer distance between two samples leaves a gap in the line. */
export const MAX_STEP = (3 * interval.max) / 1000;

export interface Span {
  readonly from: number;
  readonly to: number;
}

export type SeriesPart = [times: number[], ...values: (number | null)[][]];

/** A quarter of an hour at two samples a second. */
export const CAPACITY = 1_800;

/** Values over time in a ring buffer: the newest replace the oldest. Times are in seconds; a missing value is null. */
export class Series {
  readonly longestStep = MAX_STEP;
  readonly #capacity: number;
  readonly #times: Float64Array;
  readonly #values: readonly Float32Array[];
  #start = 0;
  #length = 0;

  constructor(columns: number, capacity: number = CAPACITY) {
    this.#capacity = capacity;
    this.#times = new Float64Array(capacity);
    this.#values = Array.from({ length: columns }, () => new Float32Array(capacity));
  }

  get length(): number {
    return this.#length;
  }

  get startTime(): number | undefined {
    return this.#length === 0 ? undefined : this.#times[this.#start];
  }

  push(time: number, values: readonly (number | null | undefined)[]): void {
    const slot = this.#slot(this.#length);
    this.#times[slot] = time;
    this.#values.forEach((column, index) => (column[slot] = values[index] ?? Number.NaN));
    if (this.#length < this.#capacity) this.#length += 1;
    else this.#start = this.#slot(1);
  }

  read({ from, to }: Span, columns: readonly number[]): SeriesPart {
    const times = this.#times;
    const slots = Array.from({ length: this.#length }, (_, index) => this.#slot(index)).filter((slot) => {
      const time = times[slot] ?? 0;
      return time >= from && time <= to;
    });
    const read = (which: number): (number | null)[] => slots.map((slot) => numberOrGap(this.#values[which]?.[slot]));
    return [slots.map((slot) => times[slot] ?? 0), ...columns.map(read)];
  }

  /** Fills `into` with the values of a span: each entry is an equal part of the span and gets its last value. */
  spread(column: number, { from, to }: Span, into: Float32Array): void {
    const source = this.#values[column];
    let [before, last] = [-Infinity, 0];
    for (let index = 0; index < this.#length; index += 1) {
      const slot = this.#slot(index);
      const time = this.#times[slot] ?? 0;
      if (time < from || time > to) continue;
      const part = Math.min(Math.floor(((time - from) / (to - from)) * into.length), into.length - 1);
      // In a short span, samples are further apart than its parts.
      const first = time - before > MAX_STEP ? part : Math.min(last + 1, part);
      into.fill(source?.[slot] ?? Number.NaN, first, part + 1);
      [before, last] = [time, part];
    }
  }

  #slot(index: number): number {
    return (this.#start + index) % this.#capacity;
  }
}

function numberOrGap(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}

export interface RecordedSeries {
  readonly from: number;
  readonly step: number;
  readonly columns: readonly (readonly (number | null)[])[];
}

export interface ReadableSeries {
  readonly longestStep: number;
  read(span: Span, columns: readonly number[]): SeriesPart;
  spread(column: number, span: Span, into: Float32Array): void;
}

/** The recorded values up to the first sample of this page, then the samples. */
export class JoinedSeries implements ReadableSeries {
  readonly longestStep: number;
  readonly #recorded: RecordedSeries;
  readonly #live: Series | undefined;

  constructor(recorded: RecordedSeries, live: Series | undefined) {
    this.#recorded = recorded;
    this.#live = live;
    this.longestStep = Math.max(MAX_STEP, recorded.step * 1.5);
  }

  read(span: Span, columns: readonly number[]): SeriesPart {
    const [times = [], ...values] = this.#live?.read(span, columns) ?? [];
    const indexes = this.#indexesIn(span);
    return [
      [...indexes.map((at) => this.#timeOf(at)), ...times],
      ...columns.map((column, which) => [...indexes.map((at) => this.#valueAt(column, at)), ...(values[which] ?? [])]),
    ];
  }

  spread(column: number, span: Span, into: Float32Array): void {
    const perPart = (span.to - span.from) / into.length;
    for (const at of this.#indexesIn(span)) {
      const first = Math.max(0, Math.floor((this.#timeOf(at) - span.from) / perPart));
      const parts = Math.max(1, Math.ceil(this.#recorded.step / perPart));
      into.fill(this.#valueAt(column, at) ?? Number.NaN, first, first + parts);
    }
    this.#live?.spread(column, span, into);
  }

  first(column: number, span: Span): { readonly time: number; readonly value: number } | undefined {
    for (const at of this.#indexesIn(span)) {
      const value = this.#valueAt(column, at);
      if (value !== null) return { time: this.#timeOf(at), value };
    }
    return undefined;
  }

  #timeOf(at: number): number {
    return this.#recorded.from + at * this.#recorded.step;
  }

  #valueAt(column: number, at: number): number | null {
    return this.#recorded.columns[column]?.[at] ?? null;
  }

  #indexesIn({ from, to }: Span): number[] {
    const { from: start, step, columns } = this.#recorded;
    const end = Math.min(to, (this.#live?.startTime ?? Infinity) - Number.EPSILON);
    const first = Math.max(0, Math.ceil((from - start) / step));
    const last = Math.min((columns[0]?.length ?? 0) - 1, Math.ceil((end - start) / step) - 1);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  }
}
