import { expect, test } from "vitest";
import { Subscriber } from "../../../src/core/metrics/sampling/sampler.ts";

test.each([
  [1000, 1000, 499, false],
  [1000, 1000, 500, true],
  [5000, 1000, 4499, false],
  [5000, 1000, 4500, true],
])("a watcher each %i ms, beside ticks of %i ms, gets the one after %i ms: %s", (intervalMs, tickMs, ms, isDue) => {
  const subscriber = new Subscriber({ environment: "dev", isNamed: true, intervalMs, asyncContext: false });
  expect(subscriber.isDue(0, tickMs)).toBe(true);
  subscriber.serve({} as never, 10_000);
  expect(subscriber.isDue(10_000 + ms, tickMs)).toBe(isDue);
});
