import { effect, signal, type ReadonlySignal } from "@preact/signals";
import type { Console } from "../../console.ts";
import { problemOf } from "../../data/request-error.ts";
import type { Feed, Metrics } from "./feed.ts";
import { countTroubled } from "./process-status.ts";

/** How often the processes are looked at while the tab is not open. */
const EVERY_MS = 15_000;

/**
 * How much is wrong with the processes, whether the tab is open or not: with each sample while it is, by a request now
 * and then while it is not. `undefined` until they were looked at.
 */
export function watchTrouble(feed: Feed, api: Pick<Console["api"], "metrics">): ReadonlySignal<number | undefined> {
  const trouble = signal<number | undefined>();
  effect(() => {
    const newest = feed.newest.value;
    if (newest?.metrics ?? newest?.refusal) trouble.value = troubleIn(newest?.metrics);
  });
  const look = async (): Promise<void> => {
    try {
      const metrics = await api.metrics(feed.environment.peek());
      if (feed.state.peek() === "closed") trouble.value = troubleIn(metrics);
    } catch (error) {
      // PM2 cannot be read. That the server is gone is shown elsewhere.
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

/** Without metrics PM2 cannot be read, which is one thing wrong. */
function troubleIn(metrics: Pick<Metrics, "processes"> | undefined): number {
  return metrics === undefined ? 1 : countTroubled(metrics.processes);
}
