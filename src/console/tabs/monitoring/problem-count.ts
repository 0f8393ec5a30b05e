import { effect, signal, type ReadonlySignal } from "@preact/signals";
import type { Api } from "../../data/api.ts";
import { problemOf } from "../../data/request-error.ts";
import { ofService, type Feed, type Metrics } from "./feed.ts";
import { countTroubled } from "./process-status.ts";

const EVERY_MS = 15_000;

/** While the tab is closed, an occasional request replaces the samples. `undefined` before the first count. */
export function watchTrouble(
  feed: Feed,
  api: Pick<Api, "metrics">,
  service: ReadonlySignal<string>,
): ReadonlySignal<number | undefined> {
  const trouble = signal<number | undefined>();
  effect(() => {
    const newest = feed.newest.value;
    if (newest?.metrics ?? newest?.refusal) trouble.value = troubleIn(newest?.metrics);
  });
  const look = async (): Promise<void> => {
    try {
      const metrics = await api.metrics(feed.environment.peek());
      if (feed.state.peek() === "closed") trouble.value = troubleIn(ofService(metrics, service.peek()));
    } catch (error) {
      // Only this status is about PM2; a lost server is reported elsewhere.
      if (problemOf(error).status === 500) trouble.value = troubleIn(undefined);
    }
  };
  effect(() => {
    if (feed.state.value !== "closed") return undefined;
    const timer = setInterval(() => void look(), EVERY_MS);
    return () => clearInterval(timer);
  });
  return trouble;
}

/** If PM2 cannot be read, that is one problem. */
function troubleIn(metrics: Pick<Metrics, "processes"> | undefined): number {
  return metrics === undefined ? 1 : countTroubled(metrics.processes);
}
