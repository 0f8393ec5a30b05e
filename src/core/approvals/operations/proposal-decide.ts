import { type ApprovalPorts, type HasProposals, type StoredProposal, toBody } from "../port-proposals.ts";
import { type Caller, defineOperation } from "../../access/operation.ts";
import type { Proposal, ProposalListResponse } from "../../api/proposals.ts";
import { withAudit } from "../../access/with-audit.ts";
import { SvcmError, failureCode } from "../../api/errors.ts";
import {
  findProposal,
  LIFETIME_MS,
  requireApprover,
  requirePending,
  withExpiry,
  requireApproved,
  requireValidApprover,
} from "../decide.ts";
import { deployPlan, deployRun } from "../../deploy/operations/deploy.ts";
import { computeChange } from "./proposal-create.ts";
import type { HasClock } from "../../files/ports.ts";
import { rightsOf } from "../../access/rights.ts";
import { envWrite } from "../../env/operations/env-write.ts";
import { rolloutApply } from "../../rollout/operations/rollout-plan.ts";

/**
 * Lets the proposal run once within an hour, if its plan is still the one that the user read.
 * @throws {SvcmError} PROPOSAL_NOT_FOUND, PROPOSAL_REFUSED, PROPOSAL_STALE, FORBIDDEN
 */
export const proposalApprove = defineOperation({
  id: "proposal.approve",
  access: "write",
  async run(ports: ApprovalPorts, { id, planId, deployPlan: readPlan }, caller): Promise<Proposal> {
    return await decideProposal(ports, { id, action: "proposal.approve" }, caller, async (proposal) => {
      requireApprover(proposal, caller, await (await ports.proposals()).ancestors());
      requirePending(proposal);
      if (planId !== proposal.planId)
        throw new SvcmError("PROPOSAL_STALE", {
          details: `The proposal ${id} holds the plan ${proposal.planId}, not the one that you read. Read it again.`,
        });
      const presentId = await presentPlanId(ports, proposal, caller);
      if (presentId !== proposal.planId) {
        await endStale(ports, proposal);
        throw staleError(proposal, presentId);
      }
      if (proposal.kind === "deploy") await requireDeployPlan(ports, proposal, readPlan, caller);
      const token =
        caller.source === "cli" ? undefined : ports.tokens.current()?.find(({ name }) => name === caller.actor);
      return (current) => {
        requirePending(current);
        return {
          ...current,
          state: "approved",
          ...(readPlan !== undefined && { deployPlan: readPlan }),
          decidedBy: { actor: caller.actor ?? "", source: caller.source },
          expiresAt: new Date(ports.clock.now() + LIFETIME_MS).toISOString(),
          ...(token !== undefined && { approver: { createdAt: token.createdAt } }),
        };
      };
    });
  },
});

/** Prepares the commit if it is not prepared. @throws {SvcmError} INVALID_REQUEST, PROPOSAL_STALE */
async function requireDeployPlan(
  ports: ApprovalPorts,
  { id, environment, service, input: { revision } }: StoredProposal,
  readPlan: string | undefined,
  caller: Caller,
): Promise<void> {
  if (readPlan === undefined)
    throw new SvcmError("INVALID_REQUEST", {
      details: `The proposal ${id} deploys ${revision}. Accepted: deployPlan, the id of the plan of this commit that you read. svcm deploy ${revision} --dry-run shows it.`,
    });
  const { plan } = await deployPlan.run(ports, { environment, service, revision }, caller);
  if (plan.id === readPlan) return;
  throw new SvcmError("PROPOSAL_STALE", {
    details: `The plan of the commit ${revision} is now ${plan.id ?? "empty"}, not ${readPlan}. Read it again.`,
  });
}

/** It is never run. @throws {SvcmError} PROPOSAL_NOT_FOUND, PROPOSAL_REFUSED */
export const proposalDeny = defineOperation({
  id: "proposal.deny",
  access: "write",
  async run(ports: ApprovalPorts, { id }, caller): Promise<Proposal> {
    const decidedBy = { actor: caller.actor ?? "", source: caller.source };
    const deny: Next = (current) => {
      // A user may have approved it meanwhile. That does not take the refusal away.
      if (current.state !== "approved") requirePending(current);
      return { ...end(current, "denied"), decidedBy };
    };
    return await decideProposal(ports, { id, action: "proposal.deny" }, caller, (proposal) => {
      deny(proposal);
      return Promise.resolve(deny);
    });
  },
});

/** Nothing is left to run: the values go. */
function end(proposal: StoredProposal, state: StoredProposal["state"]): StoredProposal {
  return { ...proposal, state, input: {} };
}

function staleError({ id, planId }: StoredProposal, presentId: string): SvcmError {
  return new SvcmError("PROPOSAL_STALE", {
    details: `The proposal ${id} holds the plan ${planId}, but the plan is now ${presentId}: a file, the code or a process changed. Propose it again.`,
  });
}

/** `empty` if the proposed steps are not needed any more. */
async function presentPlanId(ports: ApprovalPorts, proposal: StoredProposal, caller: Caller): Promise<string> {
  try {
    return (await computeChange(ports, proposal, caller)).planId;
  } catch (error) {
    if (error instanceof SvcmError && error.body.code === "PROPOSAL_EMPTY") return "empty";
    throw error;
  }
}

/** Another user may have approved it meanwhile, and its own run may be the change that was found. */
async function endStale({ proposals, clock }: HasClock & HasProposals, { id }: StoredProposal): Promise<void> {
  const nowMs = clock.now();
  await (
    await proposals()
  ).put(nowMs, (all) => {
    const current = findProposal(all, id, nowMs);
    return current.state === "pending" ? end(current, "stale") : current;
  });
}

/** @throws {SvcmError} PROPOSAL_REFUSED if another user decided meanwhile */
type Next = (current: StoredProposal) => StoredProposal;

async function decideProposal(
  ports: ApprovalPorts,
  { id, action }: { readonly id: string; readonly action: string },
  caller: Caller,
  decide: (proposal: StoredProposal) => Promise<Next>,
): Promise<Proposal> {
  const { clock } = ports;
  const proposals = await ports.proposals();
  return await withAudit(ports, caller, { action, target: id }, async ({ note, begin }) => {
    const proposal = findProposal(await proposals.read(), id, clock.now());
    note({ environment: proposal.environment, target: `${proposal.id}, plan ${proposal.planId}` });
    const next = await decide(proposal);
    await begin();
    const nowMs = clock.now();
    return toBody(await proposals.put(nowMs, (all) => next(findProposal(all, id, nowMs))));
  });
}

/** Newest first. A limited token sees those of its environments and services. */
export const proposalList = defineOperation({
  id: "proposal.list",
  access: "read",
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
