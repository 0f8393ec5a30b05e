import type { UniqueProcess } from "../../files/port-process-identity.ts";
import type { Proposal } from "../../api/proposals.ts";
import type { ApprovalPorts, HasProposals } from "../port-proposals.ts";
import { withAudit } from "../../access/with-audit.ts";
import { defineOperation } from "../../access/operation.ts";
import { SvcmError } from "../../api/errors.ts";
import type { ProposalKind } from "../../api/names.ts";
import { omitUndefined } from "../../api/omit-undefined.ts";
import { escapeHidden } from "../../words/characters.ts";
import { LIFETIME_MS, requireRoom } from "../decide.ts";
import { toBody, type StoredProposal } from "../stored.ts";
import { computeChange } from "./compute-change.ts";

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
