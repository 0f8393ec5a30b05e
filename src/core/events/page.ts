import type { EventsResponse, SvcmEvent } from "../api/events.ts";
import type { Cause } from "../api/names.ts";
import type { TimedEvent } from "./attribute-events.ts";

export interface EventFilter {
  readonly apps: readonly string[];
  readonly cause?: Cause | undefined;
  readonly kind?: SvcmEvent["kind"] | undefined;
}

/** @param filter `until`: the newest time of an event, included */
export function filterEvents(
  events: readonly TimedEvent[],
  { until = Infinity, ...filter }: EventFilter & { readonly until?: number | undefined },
): TimedEvent[] {
  return events.filter(({ atMs, event }) => atMs <= until && matchesFilter(event, filter));
}

/** Events of the daemon concern every app. */
export function matchesFilter({ app, ...event }: TimedEvent["event"], { apps, cause, kind }: EventFilter): boolean {
  if (cause !== undefined && event.cause !== cause) return false;
  if (kind !== undefined && event.kind !== kind) return false;
  return apps.length === 0 || event.kind === "daemon" || (app !== null && apps.includes(app));
}

const CURSOR = /^(\d{1,15})\.(\d{1,9})$/;

export function cursorTime(cursor: string | undefined): number {
  const [, ms = Infinity] = CURSOR.exec(cursor ?? "") ?? [];
  return Number(ms);
}

/**
 * A cursor has the time of the last event and how many of that time were returned, so new events do not shift the next
 * page.
 */
export function paginateEvents(
  events: readonly TimedEvent[],
  limit: number,
  cursor: string | undefined,
): Pick<EventsResponse, "events" | "next"> {
  const [, ms, count] = CURSOR.exec(cursor ?? "") ?? [];
  const older = ms === undefined ? events : after(events, Number(ms), Number(count));
  const page = older.slice(0, limit);
  const last = page.at(-1);
  const listed = page.map(toSvcmEvent);
  if (last === undefined || older.length <= limit) return { events: listed, next: null };
  const upTo = events.slice(0, events.indexOf(last) + 1);
  return { events: listed, next: `${last.atMs}.${upTo.filter(({ atMs }) => atMs === last.atMs).length}` };
}

export function toSvcmEvent({ atMs, event }: TimedEvent): SvcmEvent {
  return { at: new Date(atMs).toISOString(), ...event };
}

function after(events: readonly TimedEvent[], ms: number, count: number): TimedEvent[] {
  const same = events.filter(({ atMs }) => atMs === ms);
  return [...same.slice(count), ...events.filter(({ atMs }) => atMs < ms)];
}
