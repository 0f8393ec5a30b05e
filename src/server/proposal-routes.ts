import { inputs } from "../core/api/inputs.ts";
import { proposalBody, proposalListBody } from "../core/api/proposals.ts";
import { proposalApprove, proposalDeny, proposalList, type ErrorKind } from "../core/index.ts";
import { bodyRefusals, operationRoute, type Route } from "./route.ts";

const decisionRefusals: readonly ErrorKind[] = [
  ...bodyRefusals,
  "PROPOSAL_NOT_FOUND",
  "PROPOSAL_REFUSED",
  "PROPOSALS_FAILED",
  "AUDIT_FAILED",
];

/** A program proposes over MCP only, and only there it runs what was approved. */
export const proposalRoutes: readonly Route[] = [
  operationRoute("GET", "/api/proposals", proposalList, {
    summary: "List what programs proposed.",
    tag: "pm2",
    description: "Newest first. A pending one waits for a user for an hour. No secret is shown.",
    response: proposalListBody,
    refusals: ["PROPOSALS_FAILED"],
  }),
  operationRoute("POST", "/api/proposals/approve", proposalApprove, {
    summary: "Approve a proposal: it may run once within an hour, and exactly its plan.",
    tag: "pm2",
    description:
      "Needs a token on every address, and never that of the program that proposed. The plan is computed again; if it has changed, the answer is 409 with `PROPOSAL_STALE`.",
    body: inputs["proposal.approve"],
    response: proposalBody,
    refusals: [
      ...decisionRefusals,
      "PROPOSAL_STALE",
      "INVALID_ENVIRONMENT",
      "INVALID_PAYLOAD",
      "ENV_FILE_FAILED",
      "ECOSYSTEM_FILE_FAILED",
      "PM2_FAILED",
      "FACT_INVALID",
      "WORKTREE_DIRTY",
      "APPLY_REFUSED",
    ],
  }),
  operationRoute("POST", "/api/proposals/deny", proposalDeny, {
    summary: "Deny a proposal. It never runs.",
    tag: "pm2",
    description: "Also takes back an approval that was not used yet.",
    body: inputs["proposal.deny"],
    response: proposalBody,
    refusals: decisionRefusals,
  }),
];
