import type { SvcmEvent } from "../api/events.ts";

export interface EventRow extends SvcmEvent {
  /** Equal events in a row, of which this is the newest. */
  readonly count: number;
}

/** A crash loop repeats the same event, and only how long each run took differs. */
export function foldRows(events: readonly SvcmEvent[]): EventRow[] {
  const rows: { event: SvcmEvent; key: string; count: number }[] = [];
  for (const event of events) {
    const key = keyOf(event);
    const last = rows.at(-1);
    if (last?.key === key) last.count += 1;
    else rows.push({ event, key, count: 1 });
  }
  return rows.map(({ event, count }) => ({ ...event, count }));
}

function keyOf({ at: _at, evidence, ...event }: SvcmEvent): string {
  return JSON.stringify([event, evidence.map((sentence) => sentence.replace(/^It had run for .+$/, ""))]);
}
