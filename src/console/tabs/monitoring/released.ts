import { effect, signal, type ReadonlySignal } from "@preact/signals";
import type { Api } from "../../data/api.ts";
import type { Feed } from "./feed.ts";

/** When the last release of the environment that changed processes ended, in seconds. */
export function watchReleased(
  api: Pick<Api, "releases">,
  feed: Pick<Feed, "state" | "applied" | "environment">,
): ReadonlySignal<number | undefined> {
  const released = signal<number | undefined>();
  const load = async (environment: string): Promise<void> => {
    // Without a list, the page offers no range since a release.
    const { releases = [] } = (await api.releases().catch(() => undefined)) ?? {};
    const last = releases.find(
      (one) => one.environment === environment && (one.outcome === "applied" || one.outcome === "half"),
    );
    const ended = Date.parse(last?.endedAt ?? "") / 1000;
    if (environment === feed.environment.peek()) released.value = Number.isNaN(ended) ? undefined : ended;
  };
  effect(() => {
    const environment = feed.environment.value;
    // Each step of a release may be its last one.
    void feed.applied.value;
    if (feed.state.value === "live") void load(environment);
  });
  return released;
}
