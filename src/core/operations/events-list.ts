import type { EventsResponse } from "../api/events.ts";
import { CAUSE_WORDS } from "../events/causes.ts";
import { newestHappened, type Happened } from "../events/happened.ts";
import { matching, pageOf, upToOf } from "../events/page.ts";
import { defineOperation } from "../operation.ts";

const DEFAULT_LIMIT = 50;
const DAY_MS = 86_400_000;

/** Reads the logs; PM2 need not run. @throws {SvcmError} EVENTS_FAILED */
export const eventsList = defineOperation({
  id: "events.list",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports, input, { signal }): Promise<EventsResponse> {
    const { app, apps = [], cause, kind, limit = DEFAULT_LIMIT, cursor } = input;
    const since = input.since ?? ports.clock.now() - DAY_MS;
    const filter = { apps: app === undefined ? apps : [...apps, app], cause, kind };
    const page = ({ events }: Happened): ReturnType<typeof pageOf> => pageOf(matching(events, filter), limit, cursor);
    const isEnough = (part: Happened): boolean => page(part).next !== null;
    const words = cause && CAUSE_WORDS[cause];
    const wanted = { sinceMs: since, upToMs: upToOf(cursor), isEnough, words };
    const found = await newestHappened(ports, wanted, signal);
    return { ...page(found), complete: found.isComplete };
  },
});
