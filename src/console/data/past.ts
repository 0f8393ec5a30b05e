import { LONGEST_STEP, type SeriesPart, type Series, type Span } from "./series.ts";

/** Recorded columns at equal steps. Times are in seconds. */
export interface Past {
  readonly from: number;
  readonly step: number;
  readonly columns: readonly (readonly (number | null)[])[];
}

/** Values over time that a chart and a sparkline read. */
export interface Readable {
  /** Samples that are more seconds apart have a gap between them. */
  readonly longestStep: number;
  read(span: Span, columns: readonly number[]): SeriesPart;
  spread(column: number, span: Span, into: Float32Array): void;
}

/** The recorded values up to the first sample of this page, then the samples. */
export class Joined implements Readable {
  readonly longestStep: number;
  readonly #past: Past;
  readonly #live: Series | undefined;

  constructor(past: Past, live: Series | undefined) {
    this.#past = past;
    this.#live = live;
    this.longestStep = Math.max(LONGEST_STEP, past.step * 1.5);
  }

  read(span: Span, columns: readonly number[]): SeriesPart {
    const [times = [], ...values] = this.#live?.read(span, columns) ?? [];
    const places = this.#placesIn(span);
    return [
      [...places.map((at) => this.#timeOf(at)), ...times],
      ...columns.map((column, which) => [...places.map((at) => this.#valueAt(column, at)), ...(values[which] ?? [])]),
    ];
  }

  spread(column: number, span: Span, into: Float32Array): void {
    const perPart = (span.to - span.from) / into.length;
    for (const at of this.#placesIn(span)) {
      const first = Math.max(0, Math.floor((this.#timeOf(at) - span.from) / perPart));
      const parts = Math.max(1, Math.ceil(this.#past.step / perPart));
      into.fill(this.#valueAt(column, at) ?? Number.NaN, first, first + parts);
    }
    this.#live?.spread(column, span, into);
  }

  /** The first measured value of a span, and its time. */
  first(column: number, span: Span): { readonly time: number; readonly value: number } | undefined {
    for (const at of this.#placesIn(span)) {
      const value = this.#valueAt(column, at);
      if (value !== null) return { time: this.#timeOf(at), value };
    }
    return undefined;
  }

  #timeOf(at: number): number {
    return this.#past.from + at * this.#past.step;
  }

  #valueAt(column: number, at: number): number | null {
    return this.#past.columns[column]?.[at] ?? null;
  }

  #placesIn({ from, to }: Span): number[] {
    const { from: start, step, columns } = this.#past;
    const end = Math.min(to, (this.#live?.begin ?? Infinity) - Number.EPSILON);
    const first = Math.max(0, Math.ceil((from - start) / step));
    const last = Math.min((columns[0]?.length ?? 0) - 1, Math.ceil((end - start) / step) - 1);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  }
}
