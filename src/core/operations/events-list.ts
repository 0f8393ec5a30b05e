import type { EventsResponse } from "../api/events.ts";
import { newestHappened, type Happened } from "../events/happened.ts";
import { earliestOf, needsOf } from "../events/narrow.ts";
import { matching, pageOf, upToOf } from "../events/page.ts";
import { refuseUnknown } from "../events/unknown-name.ts";
import { defineOperation } from "../operation.ts";

const DEFAULT_LIMIT = 50;
const DAY_MS = 86_400_000;

/**
 * Reads the logs; PM2 need not be running.
 * @throws {SvcmError} EVENTS_FAILED, AUDIT_FAILED; PROCESS_NOT_FOUND or PM2_FAILED for a name that is not in the logs
 */
export const eventsList = defineOperation({
  id: "events.list",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports, input, { signal }): Promise<EventsResponse> {
    const { app, apps = [], cause, kind, limit = DEFAULT_LIMIT, cursor } = input;
    const now = ports.clock.now();
    const { since = now - DAY_MS } = input;
    const filter = { apps: app === undefined ? apps : [...apps, app], cause, kind };
    const page = ({ events }: Happened): ReturnType<typeof pageOf> => pageOf(matching(events, filter), limit, cursor);
    const isEnough = (part: Happened): boolean => page(part).next !== null;
    const earliest = await earliestOf(ports, filter, { since, now }, signal);
    const wanted = { ...earliest, upToMs: upToOf(cursor), isEnough, needs: needsOf(filter) };
    const found = await newestHappened(ports, wanted, signal);
    await refuseUnknown(ports, filter.apps, found.events, signal);
    return { ...page(found), complete: found.isComplete };
  },
});
