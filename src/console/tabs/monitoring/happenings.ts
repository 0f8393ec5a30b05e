import { computed, effect, signal } from "@preact/signals";
import { eventText } from "../../../core/events/event-text.ts";
import type { SvcmEvent } from "../../../core/api/events.ts";
import type { Api } from "../../data/api.ts";
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
    if (event !== undefined) events.value = [...events.peek(), event].slice(-MOST);
  });
  /** The charts are useful without marks. */
  async function load(): Promise<void> {
    const answer = await api.events({ since: `${Date.now() - SPAN_MS}`, limit: String(MOST) }).catch(() => undefined);
    if (answer) events.value = answer.events.toReversed();
  }
  const failures = computed(() => {
    const byApp = new Map<string, number[]>();
    for (const { app, kind, at } of events.value) {
      if (app !== null && kind === "exit") byApp.set(app, [...(byApp.get(app) ?? []), Date.parse(at) / 1000]);
    }
    return byApp;
  });
  return {
    events,
    /** Unexpected ends, in seconds. */
    failures: (app: string): readonly number[] => failures.value.get(app) ?? [],
    /** @param app by default those of all processes */
    marks: (app?: string): readonly Mark[] =>
      events.value
        .filter((event) => app === undefined || event.app === null || event.app === app)
        .map((event) => ({
          time: Date.parse(event.at) / 1000,
          isBad: event.kind === "exit" || event.cause === "memory-limit",
          words: eventText(event),
        })),
  };
}
