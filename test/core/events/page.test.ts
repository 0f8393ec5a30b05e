/** The events that a request selects, and how its pages follow each other while new events come. */
import { describe, expect, test } from "vitest";
import type { TimedEvent } from "../../../src/core/events/attribute-events.ts";
import { cursorTime, filterEvents, paginateEvents, type EventFilter } from "../../../src/core/events/page.ts";

const event = (atMs: number, app: string | null, kind = "exit", cause = "crash"): TimedEvent =>
  ({ atMs, event: { app, kind, cause, certainty: "likely", evidence: [] } }) as unknown as TimedEvent;
const all = [
  event(4, "api"),
  event(3, "web", "stop", "pm2-cli"),
  event(2, null, "daemon", "daemon"),
  event(1, null, "write", "svcm"),
];

test.each<[string, Partial<EventFilter> & { readonly until?: number }, readonly number[]]>([
  ["all", {}, [4, 3, 2, 1]],
  ["those of an app, and the daemon's, which concern each app", { apps: ["api"] }, [4, 2]],
  ["those of two apps", { apps: ["api", "web"] }, [4, 3, 2]],
  ["those with a cause", { cause: "pm2-cli" }, [3]],
  ["those of a kind", { kind: "write" }, [1]],
  ["those of an app with a kind", { apps: ["web"], kind: "exit" }, []],
  ["those up to a time", { until: 2 }, [2, 1]],
])("a request selects %s", (_what, filter, times) => {
  expect(filterEvents(all, { apps: [], ...filter }).map(({ atMs }) => atMs)).toEqual(times);
});

describe("a page", () => {
  const pages = (events: readonly TimedEvent[], limit: number): string[] => {
    const found: string[] = [];
    for (let cursor: string | undefined; ;) {
      const { events: page, next } = paginateEvents(events, limit, cursor);
      found.push(page.map(({ app }) => app).join(" "));
      if (next === null) return found;
      cursor = next;
    }
  };
  const same = [event(5, "a"), event(4, "b"), event(4, "c"), event(4, "d"), event(3, "e")];
  test.each([
    [1, ["a", "b", "c", "d", "e"]],
    [2, ["a b", "c d", "e"]],
    [4, ["a b c d", "e"]],
    [5, ["a b c d e"]],
    [9, ["a b c d e"]],
  ])("of %i follows the one before it", (limit, expected) => {
    expect(pages(same, limit)).toEqual(expected);
  });

  test("without events is the last one", () => {
    expect(paginateEvents([], 5, undefined)).toEqual({ events: [], next: null });
  });

  test("is not shifted by new events", () => {
    const { next } = paginateEvents(same, 2, undefined);
    const { events } = paginateEvents([event(9, "new"), ...same], 2, next ?? undefined);
    expect(events.map(({ app, at }) => `${app} ${at}`)).toEqual([
      "c 1970-01-01T00:00:00.004Z",
      "d 1970-01-01T00:00:00.004Z",
    ]);
    expect([cursorTime(next ?? ""), cursorTime(undefined), cursorTime("x")]).toEqual([4, Infinity, Infinity]);
  });
});
