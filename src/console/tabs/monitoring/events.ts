import { computed, effect, signal } from "@preact/signals";
import { eventText } from "../../../core/events/event-text.ts";
import type { SvcmEvent } from "../../../core/api/events.ts";
import type { Api } from "../../data/api.ts";
import { isFailure } from "../../data/events.ts";
import type { Mark } from "../../ui/chart/scene.ts";
import type { Feed } from "./feed.ts";
import { ranges } from "./view.ts";

const MAX_EVENTS = 1000;
const MAX_AGE_MS = ranges["7d"] * 1000;

/** The events of the longest range, in the order of their arrival. */
export function createEvents(feed: Pick<Feed, "state" | "event">, api: Pick<Api, "events">) {
  const { events: list, isWhole } = collectEvents(feed, api);
  const marks = computed(() =>
    list.value.map((event): Mark => ({
      time: Date.parse(event.at) / 1000,
      isFailure: isFailure(event),
      text: eventText(event),
      event,
    })),
  );
  const failures = computed(() => {
    const byApp = new Map<string, number[]>();
    for (const { time, isFailure: isUnexpected, event } of marks.value)
      if (event.app && isUnexpected) byApp.set(event.app, [...(byApp.get(event.app) ?? []), time]);
    return byApp;
  });
  return {
    list,
    /** Undefined before the first answer; false if there may be more events than the list has. */
    isWhole,
    /** Unexpected ends, in seconds. */
    failures: (app: string): readonly number[] => failures.value.get(app) ?? [],
    /** @param app by default those that concern the whole machine */
    marks: (app?: string): readonly Mark[] =>
      marks.value.filter(({ event }) => (app === undefined ? isOfHost(event) : !event.app || event.app === app)),
  };
}

function isOfHost({ app, cause }: SvcmEvent): boolean {
  return app === null || cause === "oom-kill";
}

/** Reads the recorded events when the feed opens, and adds those that arrive. */
function collectEvents(feed: Pick<Feed, "state" | "event">, api: Pick<Api, "events">) {
  const events = signal<SvcmEvent[]>([]);
  const isWhole = signal<boolean | undefined>(undefined);
  // Those since the last request, whose answer may lack them.
  let late: SvcmEvent[] = [];
  const load = async (): Promise<void> => {
    late = [];
    const query = { since: `${Date.now() - MAX_AGE_MS}`, limit: `${MAX_EVENTS}` };
    // The charts are useful without marks.
    const answer = await api.events(query).catch(() => undefined);
    if (!answer) return;
    events.value = distinct([...answer.events.toReversed(), ...late]);
    isWhole.value = answer.complete && answer.next === null;
  };
  effect(() => {
    if (feed.state.value === "live") void load();
  });
  effect(() => {
    const event = feed.event.value;
    if (!event) return;
    late = distinct([...late, event]);
    events.value = distinct([...events.peek(), event]);
  });
  return { events, isWhole };
}

function distinct(events: readonly SvcmEvent[]): SvcmEvent[] {
  return [...new Map(events.map((event) => [JSON.stringify(event), event])).values()].slice(-MAX_EVENTS);
}
