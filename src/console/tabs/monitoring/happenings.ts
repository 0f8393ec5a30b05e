import { computed, effect, signal } from "@preact/signals";
import { eventText } from "../../../core/events/event-text.ts";
import type { SvcmEvent } from "../../../core/api/events.ts";
import type { Api } from "../../data/api.ts";
import { isFailure } from "../../data/happenings.ts";
import type { Mark } from "../../ui/chart/scene.ts";
import type { Feed } from "./feed.ts";
import { ranges } from "./view.ts";

const MOST = 1000;
const LONGEST_MS = ranges["7d"] * 1000;

function distinct(events: readonly SvcmEvent[]): SvcmEvent[] {
  return [...new Map(events.map((event) => [JSON.stringify(event), event])).values()].slice(-MOST);
}

/** The events of the longest range, in the order of their arrival. */
export function createHappenings(feed: Pick<Feed, "state" | "event">, api: Pick<Api, "events">) {
  const events = signal<readonly SvcmEvent[]>([]);
  /** Those since the last request, whose answer may lack them. */
  let late: SvcmEvent[] = [];
  effect(() => {
    if (feed.state.value === "live") void load();
  });
  effect(() => {
    const event = feed.event.value;
    if (!event) return;
    late = distinct([...late, event]);
    events.value = distinct([...events.peek(), event]);
  });
  /** The charts are useful without marks. */
  async function load(): Promise<void> {
    late = [];
    const answer = await api.events({ since: `${Date.now() - LONGEST_MS}`, limit: `${MOST}` }).catch(() => undefined);
    if (answer) events.value = distinct([...answer.events.toReversed(), ...late]);
  }
  const marks = computed(() =>
    events.value.map((event): Mark => ({
      time: Date.parse(event.at) / 1000,
      isBad: isFailure(event),
      words: eventText(event),
      event,
    })),
  );
  const failures = computed(() => {
    const byApp = new Map<string, number[]>();
    for (const { time, isBad, event } of marks.value)
      if (event.app && isBad) byApp.set(event.app, [...(byApp.get(event.app) ?? []), time]);
    return byApp;
  });
  return {
    events,
    /** Unexpected ends, in seconds. */
    failures: (app: string): readonly number[] => failures.value.get(app) ?? [],
    /** @param app by default those of all processes */
    marks: (app?: string): readonly Mark[] =>
      marks.value.filter(({ event }) => !app || !event.app || event.app === app),
    /** Those that the user chose on a chart. */
    chosen: signal<readonly Mark[]>([]),
  };
}
