import * as z from "zod";
import { type BodyOf, trustedText } from "./body.ts";
import type { ErrorCode } from "./issue.ts";
import { auditSources, proposalKinds, proposalStates } from "./names.ts";

const moment = z.iso.datetime();
const party = z.strictObject({
  actor: z.string().describe("The name of the token, or the user of the system."),
  source: z.enum(auditSources),
});

export const proposalBody = z
  .strictObject({
    id: z.string(),
    kind: z.enum(proposalKinds),
    state: z
      .enum(proposalStates)
      .describe("`interrupted`: the process that ran it ended before its outcome. It is never run again."),
    environment: z.string(),
    service: z.string().optional(),
    planId: z.string().describe("Identifies the steps or values, and everything that they were computed from."),
    summary: z.array(z.string()).describe("The plan or the changed lines, in words. No secret is shown."),
    commit: z.string().optional().describe("The commit that the proposal deploys."),
    reason: z.string().optional().describe("The text of the program that proposed it. svcm does not check it."),
    proposedBy: party.extend({
      client: z.string().optional().describe("The name that the client program gave itself. Nothing proves it."),
    }),
    createdAt: moment,
    expiresAt: moment.describe("A pending or approved proposal ends here."),
    decidedBy: party.optional().describe("The one who approved or denied it."),
    startedAt: moment.optional(),
    endedAt: moment.optional(),
    outcome: z.string().optional().describe("The result of its run: a release, or the changed keys."),
    code: trustedText<ErrorCode>().optional().describe("Why its run failed or was refused."),
  })
  .describe("A change that a program proposes, and that a user approves or denies.");

export const proposalListBody = z
  .strictObject({ proposals: z.array(proposalBody).describe("Newest first; svcm keeps 100.") })
  .describe("The proposals of programs.");

export type Proposal = BodyOf<typeof proposalBody>;
export type ProposalListResponse = BodyOf<typeof proposalListBody>;
