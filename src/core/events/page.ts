import type { EventsResponse, SvcmEvent } from "../api/events.ts";
import type { Cause } from "../api/names.ts";

export interface EventFilter {
  readonly apps: readonly string[];
  readonly cause?: Cause | undefined;
  /** Milliseconds since 1970. */
  readonly since?: number | undefined;
}

/** The daemon's events concern every app. */
export function matching(events: readonly SvcmEvent[], { apps, cause, since = 0 }: EventFilter): SvcmEvent[] {
  return events.filter(
    ({ app, at, cause: found, kind }) =>
      Date.parse(at) >= since &&
      (cause === undefined || found === cause) &&
      (apps.length === 0 || kind === "daemon" || (app !== null && apps.includes(app))),
  );
}

/**
 * A page of events, newest first. A cursor is the time of the last event that was given, and how many of that time were
 * given, so events that come later do not move a page.
 */
export function pageOf(
  events: readonly SvcmEvent[],
  limit: number,
  cursor: string | undefined,
): Pick<EventsResponse, "events" | "next"> {
  const [, ms, count] = /^(\d{1,15})\.(\d{1,9})$/.exec(cursor ?? "") ?? [];
  const older = ms === undefined ? events : after(events, Number(ms), Number(count));
  const page = older.slice(0, limit);
  const last = page.at(-1);
  if (last === undefined || older.length <= limit) return { events: page, next: null };
  const lastMs = Date.parse(last.at);
  const upTo = events.slice(0, events.indexOf(last) + 1);
  return { events: page, next: `${lastMs}.${upTo.filter(({ at }) => Date.parse(at) === lastMs).length}` };
}

function after(events: readonly SvcmEvent[], ms: number, count: number): SvcmEvent[] {
  const same = events.filter(({ at }) => Date.parse(at) === ms);
  return [...same.slice(count), ...events.filter(({ at }) => Date.parse(at) < ms)];
}
