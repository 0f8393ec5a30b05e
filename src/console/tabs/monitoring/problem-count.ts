import { effect, signal, type ReadonlySignal } from "@preact/signals";
import type { Api } from "../../data/api.ts";
import { toProblem } from "../../data/request-error.ts";
import type { Feed, Metrics } from "./feed.ts";
import { filterByService } from "./filter-by-service.ts";
import { countTroubles } from "./problems.ts";

const EVERY_MS = 15_000;
/** By then, a tab that opens has its own samples. */
const FIRST_MS = 1000;

/** While the tab is closed, an occasional request replaces the samples. `undefined` before the first count. */
export function watchProblemCount(
  feed: Feed,
  api: Pick<Api, "metrics">,
  service: ReadonlySignal<string>,
): ReadonlySignal<number | undefined> {
  const problemCount = signal<number | undefined>();
  effect(() => {
    const newest = feed.newest.value;
    if (newest?.metrics ?? newest?.refusal) problemCount.value = countIn(newest?.metrics);
  });
  const look = async (): Promise<void> => {
    try {
      const metrics = await api.metrics(feed.environment.peek());
      if (feed.state.peek() === "closed") problemCount.value = countIn(filterByService(metrics, service.peek()));
    } catch (error) {
      // Only this status is about PM2; a lost server is reported elsewhere.
      if (toProblem(error).status === 500) problemCount.value = countIn(undefined);
    }
  };
  effect(() => {
    if (feed.state.value !== "closed") return undefined;
    const timers = [setTimeout(() => void look(), FIRST_MS), setInterval(() => void look(), EVERY_MS)];
    return () => timers.forEach(clearTimeout);
  });
  return problemCount;
}

/** If PM2 cannot be read, that is one problem. */
function countIn(metrics: Pick<Metrics, "processes" | "ecosystem"> | undefined): number {
  return metrics === undefined ? 1 : countTroubles(metrics);
}
