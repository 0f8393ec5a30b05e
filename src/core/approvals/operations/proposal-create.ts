import { forMachine } from "../../rollout/machine-environment.ts";
import type { UniqueProcess } from "../../files/ports.ts";
import type { Proposal } from "../../api/proposals.ts";
import { type ApprovalPorts, type HasProposals, type StoredProposal, toBody } from "../port-proposals.ts";
import { withAudit } from "../../access/with-audit.ts";
import { defineOperation, type Caller } from "../../access/operation.ts";
import { SvcmError } from "../../api/errors.ts";
import type { ProposalKind } from "../../api/names.ts";
import { omitUndefined } from "../../api/omit-undefined.ts";
import { escapeHidden } from "../../words/characters.ts";
import { LIFETIME_MS, requireRoom } from "../decide.ts";
import { findDeploy } from "../../deploy/operations/deploy.ts";
import { hideComment } from "../../env/document.ts";
import { envRead } from "../../env/operations/env-read.ts";
import { envPlan } from "../../env/operations/env-write.ts";
import type { Paint } from "../../findings/text.ts";
import { requireApplicable } from "../../rollout/apply/apply.ts";
import { rolloutPlan } from "../../rollout/operations/rollout-plan.ts";
import { shortId } from "../../rollout/plan.ts";
import { renderPlan } from "../../rollout/report/render.ts";
import { entityTag } from "../../words/http.ts";

/**
 * Keeps a plan or a change of values until a user decides. Nothing else changes.
 * @throws {SvcmError} PROPOSAL_REFUSED, PROPOSALS_FAILED, and the errors of the plan
 */
export const proposalCreate = defineOperation({
  id: "proposal.create",
  access: "propose",
  async run(ports: ApprovalPorts, { kind, environment, service, reason, ...choices }, caller): Promise<Proposal> {
    const { clock } = ports;
    const proposals = await ports.proposals();
    return await withAudit(ports, caller, { action: "proposal.create" }, async ({ note, begin }) => {
      requireMembers(kind, choices);
      if (choices.values !== undefined) note({ keys: Object.keys(choices.values) });
      const input = omitUndefined(choices);
      const computed = await computeChange(ports, { kind, environment, service, input }, caller);
      const id = proposals.createId();
      note({ environment: computed.environment, target: `${id}, plan ${computed.planId}` });
      requireRoom(await proposals.read(), caller, clock.now());
      await begin();
      const parent = caller.role === undefined ? await findParent(ports) : undefined;
      const nowMs = clock.now();
      const stored = await proposals.put(nowMs, (all) => {
        requireRoom(all, caller, nowMs);
        return {
          id,
          kind,
          state: "pending",
          environment: computed.environment,
          planId: computed.planId,
          // A user reads both, and hidden characters could show another text.
          summary: computed.summary.map(escapeHidden),
          ...omitUndefined({ service, reason: reason && escapeHidden(reason), parent, commit: computed.commit }),
          proposedBy: {
            actor: caller.actor ?? "",
            source: caller.source,
            ...omitUndefined({ client: caller.client }),
          },
          createdAt: new Date(nowMs).toISOString(),
          expiresAt: new Date(nowMs + LIFETIME_MS).toISOString(),
          isByToken: caller.role !== undefined,
          input: computed.commit === undefined ? input : { revision: computed.commit },
        };
      });
      return toBody(stored);
    });
  },
});

async function findParent({ proposals }: HasProposals): Promise<UniqueProcess | undefined> {
  const [parent] = await (await proposals()).ancestors();
  return parent;
}

const MEMBERS: Readonly<Record<ProposalKind, readonly string[]>> = {
  apply: ["apps", "prune", "preflight", "restart"],
  deploy: ["revision"],
  "env.write": ["values"],
};

/** @throws {SvcmError} INVALID_REQUEST if a member belongs to another kind */
function requireMembers(kind: ProposalKind, choices: StoredProposal["input"]): void {
  const given = Object.entries(choices).filter(([, value]) => value !== undefined);
  const other = given.map(([name]) => name).find((name) => !MEMBERS[kind].includes(name));
  if (other !== undefined)
    throw new SvcmError("INVALID_REQUEST", { details: `${other} does not belong to a proposal of the kind ${kind}.` });
  if (kind === "env.write" && Object.keys(choices.values ?? {}).length === 0)
    throw new SvcmError("INVALID_REQUEST", { details: "A proposal of the kind env.write names its values." });
}

export interface Change {
  readonly kind: ProposalKind;
  readonly environment?: string | undefined;
  readonly service?: string | undefined;
  readonly input: StoredProposal["input"];
}

export interface ComputedChange {
  readonly environment: string;
  readonly planId: string;
  /** Of a deploy. */
  readonly commit?: string;
  /** Of the env file, for the write. */
  readonly tag?: string;
  readonly summary: readonly string[];
}

const MAX_LINES = 60;

/**
 * The same computation for the proposal, its approval and its run: any difference between them is refused.
 * @throws {SvcmError} PROPOSAL_REFUSED with PROPOSAL_EMPTY, and the errors of a plan and of a write
 */
export async function computeChange(ports: ApprovalPorts, change: Change, caller: Caller): Promise<ComputedChange> {
  const compute = { apply: computeApply, deploy: computeDeploy, "env.write": computeWrite };
  return await compute[change.kind](ports, change, caller);
}

async function computeApply(
  ports: ApprovalPorts,
  { environment, service, input: { values: _v, ...choices } }: Change,
  caller: Caller,
): Promise<ComputedChange> {
  const plan = await rolloutPlan.run(ports, { ...choices, environment, service }, caller);
  if (!plan.exists) throw empty(`The ecosystem file ${plan.path} does not exist, so the plan compares nothing.`);
  if (plan.id === null || !plan.changed) throw empty(`The plan of ${plan.environment} has no step.`);
  requireApplicable(plan, {});
  const text = await renderPlan(plan, "text", PLAIN);
  return { environment: plan.environment, planId: plan.id, summary: bounded(text.split("\n")) };
}

/** The plan of a commit runs its code, so only an approver makes it. */
async function computeDeploy(
  ports: ApprovalPorts,
  { environment: requested, service, input: { revision } }: Change,
  caller: Caller,
): Promise<ComputedChange> {
  const found = await findDeploy(ports, { environment: requested, service, revision }, caller);
  const { environment, commit, subject, source, former } = found;
  if (commit === former) throw empty(`${environment} runs the commit ${commit.slice(0, 7)} already.`);
  const planId = shortId(ports.host.digest(new TextEncoder().encode(JSON.stringify([environment, service, commit]))));
  const summary = [
    `deploy ${commit} ${JSON.stringify(subject)}`,
    `from ${source}`,
    former === null ? "as the first release of svcm here" : `in place of ${former}`,
  ];
  return { environment, planId, commit, summary };
}

async function computeWrite(
  ports: ApprovalPorts,
  { environment, service, input: { values = {} } }: Change,
  caller: Caller,
): Promise<ComputedChange> {
  const place = await forMachine(ports, { environment, service }, caller);
  const { bytes } = await envRead.run(ports, place, caller);
  const plan = await envPlan.run(ports, { ...place, values, foreignKeys: "refuse" }, caller);
  if (plan.changedKeys.length === 0) throw empty(`${plan.fileName} has these values already.`);
  const tag = await entityTag(ports, bytes);
  const planId = shortId(ports.host.digest(new TextEncoder().encode(JSON.stringify([plan.path, tag, values]))));
  const lines = plan.changes.flatMap(({ line, before, after }) => [
    ...before.map((old) => `${plan.fileName}:${line} - ${hideComment(old)}`),
    ...after.map((next) => `${plan.fileName}:${line} + ${hideComment(next)}`),
  ]);
  return { environment: plan.environment, planId, tag, summary: bounded(lines) };
}

function bounded(lines: readonly string[]): readonly string[] {
  const shown = lines.filter((line) => line !== "").slice(0, MAX_LINES);
  return shown.length < lines.filter((line) => line !== "").length ? [...shown, "… and more lines"] : shown;
}

function empty(details: string): SvcmError {
  return new SvcmError("PROPOSAL_REFUSED", {
    code: "PROPOSAL_EMPTY",
    details: `${details} There is nothing to propose.`,
  });
}

const same = (text: string): string => text;
const PLAIN: Paint = { bold: same, dim: same, red: same, yellow: same, green: same, cyan: same };
