import type { EventsPorts } from "../ports.ts";
import type { EventsResponse, WhyResponse } from "../../api/events.ts";
import { coverageSentence } from "../counted-ends.ts";
import { collectNewestEvents, type CollectedEvents } from "../collect-events.ts";
import { findEarliest, requiredPatterns, requireKnownNames } from "../filter-patterns.ts";
import { filterEvents, paginateEvents, cursorTime } from "../page.ts";
import { defineOperation } from "../../access/operation.ts";
import { explainEnd } from "../why.ts";

const DEFAULT_LIMIT = 50;
const DAY_MS = 86_400_000;

/**
 * Reads the logs; PM2 need not be running.
 * @throws {SvcmError} EVENTS_FAILED, AUDIT_FAILED; PROCESS_NOT_FOUND or PM2_FAILED for a name that is not in the logs
 */
export const eventsList = defineOperation({
  id: "events.list",
  access: "read",
  async run(ports: EventsPorts, input, { signal }): Promise<EventsResponse> {
    const { app, apps = [], cause, kind, limit = DEFAULT_LIMIT, cursor, until } = input;
    const now = ports.clock.now();
    const { since = now - DAY_MS } = input;
    const filter = { apps: app === undefined ? apps : [...apps, app], cause, kind, until };
    const page = ({ events }: CollectedEvents): ReturnType<typeof paginateEvents> =>
      paginateEvents(filterEvents(events, filter), limit, cursor);
    const isEnough = (part: CollectedEvents): boolean => page(part).next !== null;
    const earliest = await findEarliest(ports, filter, { since, now }, signal);
    const found = await collectNewestEvents(
      ports,
      {
        ...earliest,
        upToMs: Math.min(cursorTime(cursor), until ?? Infinity),
        isEnough,
        required: requiredPatterns(filter),
      },
      signal,
    );
    await requireKnownNames(ports, filter.apps, found.events, signal);
    const coverage = await ports.processLogs.readCoverage().catch(() => undefined);
    const isSilent = coverage !== undefined && (!coverage.exists || coverage.fromMs === null);
    return {
      ...page(found),
      complete: found.isComplete,
      ...(isSilent && { note: coverageSentence(coverage) }),
    };
  },
});

/**
 * Reports when and why a process last ended: the named one, or the one that ended last. PM2 need not be running, but without it svcm does not know the secrets of
 * the process and so does not show its error log.
 * @throws {SvcmError} as `explainEnd`
 */
export const eventWhy = defineOperation({
  id: "event.why",
  access: "read",
  run: async (ports: EventsPorts, { name }, caller): Promise<WhyResponse> =>
    (await explainEnd(ports, name, caller)).response,
});
