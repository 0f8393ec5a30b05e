import type { WhyResponse } from "../api/events.ts";
import { whyOf } from "../events/why.ts";
import { defineOperation } from "../operation.ts";

/**
 * When and why a process last ended. PM2 need not run, but without it the error log is not shown: its secrets are not
 * known then.
 * @throws {SvcmError} as `whyOf`
 */
export const eventWhy = defineOperation({
  id: "event.why",
  access: "read",
  refusal: "INVALID_REQUEST",
  run: async (ports, { name }, caller): Promise<WhyResponse> => (await whyOf(ports, name, caller)).response,
});
