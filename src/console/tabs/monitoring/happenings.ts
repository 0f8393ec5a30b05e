import { computed, effect, signal } from "@preact/signals";
import { eventText } from "../../../core/events/event-text.ts";
import type { SvcmEvent } from "../../../core/api/events.ts";
import type { Api } from "../../data/api.ts";
import { isFailure } from "../../data/happenings.ts";
import type { Mark } from "../../ui/chart/scene.ts";
import type { Feed } from "./feed.ts";
import { ranges } from "./view.ts";

const MOST = 1000;
const SPAN_MS = Math.max(...Object.values(ranges)) * 1000;

/** The events of the longest range, in the order of their arrival. */
export function createHappenings(feed: Feed, api: Pick<Api, "events">) {
  const events = signal<readonly SvcmEvent[]>([]);
  effect(() => {
    if (feed.state.value === "live") void load();
  });
  effect(() => {
    const event = feed.event.value;
    const text = JSON.stringify(event);
    // The answer of `load` may have it already.
    if (event === undefined || events.peek().some((one) => JSON.stringify(one) === text)) return;
    events.value = [...events.peek(), event].slice(-MOST);
  });
  /** The charts are useful without marks. */
  async function load(): Promise<void> {
    const answer = await api.events({ since: `${Date.now() - SPAN_MS}`, limit: String(MOST) }).catch(() => undefined);
    if (answer) events.value = answer.events.toReversed();
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
    for (const { time, isBad, event } of marks.value) {
      const { app } = event;
      if (app !== null && isBad) byApp.set(app, [...(byApp.get(app) ?? []), time]);
    }
    return byApp;
  });
  return {
    events,
    /** Unexpected ends, in seconds. */
    failures: (app: string): readonly number[] => failures.value.get(app) ?? [],
    /** @param app by default those of all processes */
    marks: (app?: string): readonly Mark[] =>
      marks.value.filter(({ event }) => app === undefined || event.app === null || event.app === app),
    /** Those that the user chose on a chart. */
    chosen: signal<readonly Mark[]>([]),
  };
}
