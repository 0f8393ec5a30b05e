import type { HasClock } from "../../files/port-host.ts";
import type { ProposalListResponse } from "../../api/proposals.ts";
import type { HasProposals } from "../port-proposals.ts";
import { defineOperation } from "../../access/operation.ts";
import { withExpiry } from "../decide.ts";
import { toBody } from "../stored.ts";

/** Newest first. A limited token sees those of its environments and services. */
export const proposalList = defineOperation({
  id: "proposal.list",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run({ proposals, clock }: HasClock & HasProposals, _input, { limits }): Promise<ProposalListResponse> {
    const nowMs = clock.now();
    const isVisible = ({
      environment,
      service,
    }: {
      readonly environment: string;
      readonly service?: string;
    }): boolean =>
      (limits?.environments?.includes(environment) ?? true) &&
      (limits?.services === undefined || (service !== undefined && limits.services.includes(service)));
    const all = (await (await proposals()).read()).map((one) => toBody(withExpiry(one, nowMs)));
    return { proposals: all.filter((one) => isVisible(one as { environment: string; service?: string })).toReversed() };
  },
});
