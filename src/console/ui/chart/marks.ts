import type { Scale } from "./scale.ts";

/** A moment in the lane of events above the lines. */
export interface Mark {
  /** In seconds. */
  readonly time: number;
  readonly isBad: boolean;
  readonly words: string;
}

/** CSS pixels around the cursor in which a mark is read. */
const REACH = 6;

/** The marks in sight. */
export function marksIn(marks: readonly Mark[], { from, to }: { readonly from: number; readonly to: number }): Mark[] {
  return marks.filter(({ time }) => time >= from && time <= to);
}

/** The words of the marks at a moment. */
export function wordsAt(marks: readonly Mark[], scale: Scale, time: number): string[] {
  const x = scale.x(time);
  return [...new Set(marks.filter((mark) => Math.abs(scale.x(mark.time) - x) <= REACH).map(({ words }) => words))];
}
