import { signal } from "@preact/signals";
import { expect, test } from "vitest";
import type { EventsResponse } from "../../../../src/core/api/events.ts";
import type { ConnectionState, SvcmEvent } from "../../../../src/client/index.ts";
import { createEvents } from "../../../../src/console/tabs/monitoring/events.ts";

const exit = (at: string): SvcmEvent => ({
  at,
  app: "api",
  pmId: 0,
  kind: "exit",
  cause: "crash",
  certainty: "certain",
  exitCode: 1,
  evidence: [],
});

test("an event that arrives while the recorded ones are loading is kept, and one in both appears once", async () => {
  const [first, both, late] = [1, 2, 3].map((second) => exit(`2030-01-01T00:00:0${second}.000Z`));
  let give: (answer: EventsResponse) => void = () => undefined;
  const answer = new Promise<EventsResponse>((resolve) => (give = resolve));
  const feed = { state: signal<ConnectionState>("closed"), event: signal<SvcmEvent | undefined>() };
  const events = createEvents(feed, { events: () => answer });
  expect(events.isWhole.value).toBe(undefined);
  feed.state.value = "live";
  feed.event.value = { ...both! };
  feed.event.value = late;
  give({ events: [both!, first!], next: null, complete: true });
  await expect.poll(() => events.list.value).toEqual([first, both, late]);
  expect(events.marks("api")).toHaveLength(3);
  expect(events.isWhole.value).toBe(true);
});
