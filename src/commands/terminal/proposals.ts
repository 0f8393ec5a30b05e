import type { Proposal } from "../../core/api/proposals.ts";
import { auditText } from "../../core/index.ts";
import type { Column } from "./table.ts";

export const PROPOSAL_COLUMNS: readonly Column<Proposal>[] = [
  { heading: "ID", cell: ({ id }) => id },
  {
    heading: "STATE",
    cell: ({ state, code }) => (code === undefined ? state : `${state} (${code})`),
    colour: stateColour,
  },
  { heading: "KIND", cell: ({ kind }) => kind, dropPriority: 1 },
  { heading: "ENVIRONMENT", cell: ({ environment }) => environment },
  { heading: "PROPOSED BY", cell: proposerText, shorten: "end", dropPriority: 2 },
  { heading: "UNTIL", cell: ({ expiresAt }) => auditText.formatTimestamp(expiresAt), dropPriority: 3 },
];

function stateColour(
  { state }: Proposal,
  { yellow, green, red }: Parameters<NonNullable<Column<Proposal>["colour"]>>[1],
) {
  if (state === "pending") return yellow;
  if (state === "done" || state === "approved") return green;
  return state === "failed" || state === "interrupted" ? red : undefined;
}

function proposerText({ proposedBy }: Proposal): string {
  return auditText.callerText(proposedBy);
}

/** What the person approves. The text of the program is last, and marked. */
export function proposalText(proposal: Proposal): string {
  const { id, kind, environment, service, planId, summary, reason, createdAt } = proposal;
  const place = service === undefined ? environment : `${environment}, service ${service}`;
  const what = kind === "apply" ? "apply a plan" : "change an env file";
  return [
    `Proposal ${id}: ${what} in ${place} (plan ${planId}).`,
    `Proposed by ${proposerText(proposal)} at ${auditText.formatTimestamp(createdAt)}.`,
    "",
    ...summary.map((line) => `  ${line}`),
    "",
    ...(reason === undefined ? [] : [`The program says: ${JSON.stringify(reason)}`]),
  ].join("\n");
}
