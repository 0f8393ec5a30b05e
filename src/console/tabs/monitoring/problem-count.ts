import { effect, signal, type ReadonlySignal } from "@preact/signals";
import type { Api } from "../../data/api.ts";
import { toProblem } from "../../data/request-error.ts";
import type { Feed, Metrics } from "./feed.ts";
import { filterByService } from "./filter-by-service.ts";
import type { Mark } from "../../../core/api/alerts.ts";
import type { Marks } from "./marks.ts";
import { countTroubles } from "./problems.ts";

const EVERY_MS = 15_000;
/** By then, a tab that opens has its own samples. */
const FIRST_MS = 1000;

interface Counted {
  readonly api: Pick<Api, "metrics">;
  readonly service: ReadonlySignal<string>;
  readonly marks: Pick<Marks, "list" | "load">;
}

/** While the tab is closed, an occasional request replaces the samples. `undefined` before the first count. */
export function watchProblemCount(feed: Feed, { api, service, marks }: Counted): ReadonlySignal<number | undefined> {
  const problemCount = signal<number | undefined>();
  effect(() => {
    const newest = feed.newest.value;
    if (newest?.metrics ?? newest?.refusal) problemCount.value = countIn(newest?.metrics, marks.list.value);
  });
  const look = async (): Promise<void> => {
    try {
      const metrics = await api.metrics(feed.environment.peek());
      await marks.load();
      if (feed.state.peek() === "closed")
        problemCount.value = countIn(filterByService(metrics, service.peek()), marks.list.peek());
    } catch (error) {
      // Only this status is about PM2; a lost server is reported elsewhere.
      if (toProblem(error).status === 500) problemCount.value = countIn(undefined, []);
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
function countIn(metrics: Pick<Metrics, "processes" | "ecosystem"> | undefined, marks: readonly Mark[]): number {
  return metrics === undefined ? 1 : countTroubles(metrics, marks);
}
