import type { EventsResponse } from "../api/events.ts";
import { matching, pageOf } from "../events/page.ts";
import { happened } from "../events/happened.ts";
import { defineOperation } from "../operation.ts";

const DEFAULT_LIMIT = 50;
const DAY_MS = 86_400_000;

/** Reads the logs; PM2 need not run. @throws {SvcmError} EVENTS_FAILED */
export const eventsList = defineOperation({
  id: "events.list",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports, input, { signal }): Promise<EventsResponse> {
    const { app, apps = [], cause, limit = DEFAULT_LIMIT, cursor } = input;
    const since = input.since ?? ports.clock.now() - DAY_MS;
    const { events, isComplete } = await happened(ports, since, signal);
    const wanted = matching(events, { apps: app === undefined ? apps : [...apps, app], cause, since });
    return { ...pageOf(wanted, limit, cursor), complete: isComplete };
  },
});
