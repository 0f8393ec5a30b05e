import type { EventsPorts } from "../ports.ts";
import type { WhyResponse } from "../../api/events.ts";
import { explainEnd } from "../why.ts";
import { defineOperation } from "../../access/operation.ts";

/**
 * Reports when and why a process last ended: the named one, or the one that ended last. PM2 need not be running, but without it svcm does not know the secrets of
 * the process and so does not show its error log.
 * @throws {SvcmError} as `explainEnd`
 */
export const eventWhy = defineOperation({
  id: "event.why",
  access: "read",
  refusal: "INVALID_REQUEST",
  run: async (ports: EventsPorts, { name }, caller): Promise<WhyResponse> =>
    (await explainEnd(ports, name, caller)).response,
});
