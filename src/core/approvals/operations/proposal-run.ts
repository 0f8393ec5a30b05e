import type { ApprovalPorts } from "../port-proposals.ts";
import type { Caller } from "../../access/caller.ts";
import type { Proposal } from "../../api/proposals.ts";
import { type StoredProposal, toBody } from "../stored.ts";
import { rightsOf } from "../../access/rights.ts";
import { withAudit } from "../../access/with-audit.ts";
import { defineOperation } from "../../access/operation.ts";
import { failureCode, SvcmError } from "../../api/errors.ts";
import { deployRun } from "../../deploy/operations/deploy.ts";
import { envWrite } from "../../env/operations/env-write.ts";
import { rolloutApply } from "../../rollout/operations/rollout-apply.ts";
import { findProposal, requireApproved, requireValidApprover } from "../decide.ts";
import { computeChange } from "./compute-change.ts";
import { end, staleError } from "./proposal-decide.ts";

/**
 * Runs what a user approved, once, and nothing else. Of two callers, one runs it.
 * @throws {SvcmError} PROPOSAL_NOT_FOUND, PROPOSAL_REFUSED, PROPOSAL_STALE, and the errors of the apply or the write
 */
export const proposalRun = defineOperation({
  id: "proposal.run",
  access: "propose",
  async run(ports: ApprovalPorts, { id }, caller): Promise<Proposal> {
    const { clock } = ports;
    const proposals = await ports.proposals();
    return await withAudit(ports, caller, { action: "proposal.run", target: id }, async ({ note, begin }) => {
      const proposal = findProposal(await proposals.read(), id, clock.now());
      const approvedBy = proposal.decidedBy === undefined ? "" : `, approved by ${proposal.decidedBy.actor}`;
      const target = `${proposal.id}, plan ${proposal.planId}${approvedBy}`;
      note({ environment: proposal.environment, target });
      const requireRunnable = (one: StoredProposal): void => {
        requireApproved(one);
        requireValidApprover(one, ports.tokens.current(), clock.now());
      };
      requireRunnable(proposal);
      await begin();
      const runner = await proposals.self();
      const nowMs = clock.now();
      const claimed = await proposals.put(nowMs, (all) => {
        const current = findProposal(all, id, nowMs);
        requireRunnable(current);
        return { ...current, state: "running", startedAt: new Date(nowMs).toISOString(), runner };
      });
      return toBody(await runClaimed(ports, claimed, caller));
    });
  },
});

async function runClaimed(ports: ApprovalPorts, claimed: StoredProposal, caller: Caller): Promise<StoredProposal> {
  const proposals = await ports.proposals();
  const finish = (state: StoredProposal["state"], more: Partial<StoredProposal>): Promise<StoredProposal> => {
    const nowMs = ports.clock.now();
    const endedAt = new Date(nowMs).toISOString();
    return proposals.put(nowMs, () => ({ ...end(claimed, state), endedAt, ...more }));
  };
  try {
    return await finish("done", { outcome: await change(ports, claimed, asApprover(caller)) });
  } catch (error) {
    const isStale = error instanceof SvcmError && STALE.has(error.body.code ?? error.kind);
    await finish(isStale ? "stale" : "failed", { code: failureCode(error) });
    throw error;
  }
}

const STALE: ReadonlySet<string> = new Set(["PLAN_STALE", "ENV_FILE_CHANGED", "PROPOSAL_STALE", "PROPOSAL_EMPTY"]);

/** The user who approved had these rights. The program has them for this change only, and its name is recorded. */
function asApprover({ source, actor, client }: Caller): Caller {
  return {
    source,
    grants: rightsOf.editor,
    ...(actor !== undefined && { actor }),
    ...(client !== undefined && { client }),
  };
}

/** Returns what it did, in words. */
async function change(ports: ApprovalPorts, proposal: StoredProposal, caller: Caller): Promise<string> {
  const { kind, environment, service, planId: plan, id, input } = proposal;
  if (kind === "apply") {
    const { values: _v, ...choices } = input;
    const request = { ...choices, environment, service, plan, message: `proposal ${id}` };
    const { release } = await rolloutApply.run(ports, request, caller);
    return release === null ? "nothing to do" : `release ${release.id}`;
  }
  if (kind === "deploy") {
    const { revision } = input;
    const request = { environment, service, revision, plan: proposal.deployPlan, message: `proposal ${id}` };
    const { deploy } = await deployRun.run(ports, request, caller);
    return `deploy ${deploy.id}`;
  }
  const { tag, planId } = await computeChange(ports, proposal, caller);
  if (planId !== plan || tag === undefined) throw staleError(proposal, planId);
  const write = { environment, service, values: input.values ?? {}, ifMatch: tag, foreignKeys: "refuse" as const };
  const { response } = await envWrite.run(ports, write, caller);
  return `changed ${response.changedKeys.join(", ")}`;
}
