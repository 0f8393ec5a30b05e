import * as Args from "@oclif/core/args";
import type { Proposal } from "../core/api/proposals.ts";
import { auditText, deployPlan, proposalApprove, proposalList, renderPlan, SvcmError } from "../core/index.ts";
import { inLocalTime } from "../core/words/time.ts";
import { SvcmCommand } from "./base.ts";
import { executeAloud } from "./terminal/aloud.ts";
import { paint } from "./terminal/screen.ts";
import { canPrompt, confirmName } from "./terminal/prompt.ts";
import { printTable, type Column } from "./terminal/table.ts";

export default class Approve extends SvcmCommand {
  static override summary = "List what programs proposed, or approve a proposal.";
  static override description =
    "Without an id, lists the proposals. With one, shows it, computes its plan again, prepares the commit of a deploy, and asks you to type the name of the environment. The program may then run it once, within an hour, and exactly that plan. There is no --yes: svcm refuses without a terminal, and in one that the proposing program started. Under your own account this is a guard and a record, not a boundary.";
  static override examples = ["<%= config.bin %> approve", "<%= config.bin %> approve KR4TQ2WB"];
  static override args = {
    id: Args.string({ ignoreStdin: true, description: "Id of the proposal." }),
  };

  async run() {
    const { args } = await this.parse(Approve);
    const { proposals } = await this.execute(proposalList, {});
    if (args.id === undefined) {
      printTable(this, COLUMNS, proposals, "No program has proposed anything.");
      return { proposals };
    }
    const id = args.id.toUpperCase();
    if (!canPrompt(this))
      throw new SvcmError("FORBIDDEN", {
        code: "APPROVAL_NEEDS_USER",
        details: `A user approves ${id} at a terminal. svcm does not run in one, and no flag answers for a user.`,
      });
    const proposal = proposals.find((one) => one.id === id);
    // The operation refuses an unknown id, and one that does not wait.
    if (proposal?.state !== "pending")
      return await this.execute(proposalApprove, { id, planId: proposal?.planId ?? "" });
    const { environment, planId } = proposal;
    this.log(proposalText(proposal));
    const deploy = await this.#planDeploy(proposal);
    if (!(await confirmName(this, `Approve it? Type the name ${environment} to go on:`, environment))) return undefined;
    const approved = await this.execute(proposalApprove, { id, planId, ...deploy });
    this.log(`Approved ${id}. The program may run it once, until ${approved.expiresAt}.`);
    this.log(`Next: svcm audit ${id}`);
    return approved;
  }

  /** Prepares the commit, with the rights of the user, and shows the plan. */
  async #planDeploy({ commit, environment, service }: Proposal): Promise<{ deployPlan?: string }> {
    if (commit === undefined) return {};
    const { plan } = await executeAloud(this, deployPlan, { environment, service, revision: commit });
    this.log(await renderPlan(plan, "text", paint));
    return { deployPlan: plan.id ?? "" };
  }
}

const COLUMNS: readonly Column<Proposal>[] = [
  { heading: "ID", cell: ({ id }) => id },
  {
    heading: "STATE",
    cell: ({ state, code }) => (code === undefined ? state : `${state} (${code})`),
    colour: stateColour,
  },
  { heading: "KIND", cell: ({ kind }) => kind, dropPriority: 1 },
  { heading: "ENVIRONMENT", cell: ({ environment }) => environment },
  { heading: "PROPOSED BY", cell: proposerText, shorten: "end", dropPriority: 2 },
  { heading: "UNTIL", cell: ({ expiresAt }) => inLocalTime(expiresAt), dropPriority: 3 },
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

/** The change that the user approves. The text of the program is last, and marked. */
function proposalText(proposal: Proposal): string {
  const { id, kind, environment, service, planId, summary, reason, createdAt } = proposal;
  const place = service === undefined ? environment : `${environment}, service ${service}`;
  const what = { apply: "apply a plan", deploy: "deploy a commit", "env.write": "change an env file" }[kind];
  return [
    `Proposal ${id}: ${what} in ${place} (plan ${planId}).`,
    `Proposed by ${proposerText(proposal)} at ${inLocalTime(createdAt)}.`,
    "",
    ...summary.map((line) => `  ${line}`),
    "",
    ...(reason === undefined ? [] : [`The program says: ${JSON.stringify(reason)}`]),
  ].join("\n");
}
