import * as z from "zod/mini";
import type { HasBootOutlook } from "../rollout/port-deployed.ts";
import type { HasTokens } from "../access/ports.ts";
import type { HasEffects } from "../env/port-effects.ts";
import type { DeployPorts } from "../deploy/deploy-context.ts";
import type { UniqueProcess } from "../files/ports.ts";
import type { InputOf } from "../api/inputs.ts";
import { proposalKinds, proposalStates } from "../api/names.ts";
import type { Proposal } from "../api/proposals.ts";
import { SvcmError } from "../api/errors.ts";

/** The proposals of programs, in `.svcm/proposals.json`. */
export interface Proposals {
  /** Oldest first. One whose process ended while it ran is `interrupted`. @throws {SvcmError} PROPOSALS_FAILED */
  read(): Promise<readonly StoredProposal[]>;

  /**
   * Replaces one proposal, or adds it, in one locked transaction. `decide` gets the present content.
   * At `nowMs`, those that waited too long lose their values.
   * @throws {SvcmError} PROPOSALS_FAILED; errors of `decide` pass through
   */
  put(nowMs: number, decide: (all: readonly StoredProposal[]) => StoredProposal): Promise<StoredProposal>;

  /** Removes the inputs of those that ended by time, or with their process. @throws {SvcmError} PROPOSALS_FAILED */
  forget(nowMs: number): Promise<void>;

  /** This process. */
  self(): Promise<UniqueProcess>;

  /** The processes that led to this one, the parent first; empty if the system does not show them. */
  ancestors(): Promise<readonly UniqueProcess[]>;

  /** 40 random bits. */
  createId(): string;
}

export interface HasProposals {
  /** Few commands need it, so the others do not load its code. */
  readonly proposals: () => Promise<Proposals>;
}

/** A proposal is computed, approved and run. */
export interface ApprovalPorts extends DeployPorts, HasBootOutlook, HasEffects, HasProposals, HasTokens {}

/** `.svcm/proposals.json` holds values of env files until a proposal ends, so only its owner may read it. */
export interface StoredProposal extends Proposal {
  readonly input: Pick<InputOf<"proposal.create">, "apps" | "prune" | "preflight" | "restart" | "values" | "revision">;
  readonly isByToken: boolean;
  /** The plan of the commit, which the approver read. */
  readonly deployPlan?: string | undefined;
  /** For a token: it is another one after a revocation, even with the same name. */
  readonly approver?: { readonly createdAt: string } | undefined;
  /** The program that started `svcm mcp`. */
  readonly parent?: UniqueProcess | undefined;
  readonly runner?: UniqueProcess | undefined;
}

const text = z.string();
const fileSchema = z.strictObject({
  version: z.literal(1),
  proposals: z.array(
    z.looseObject({
      id: text,
      kind: z.enum(proposalKinds),
      state: z.enum(proposalStates),
      environment: text,
      planId: text,
      summary: z.array(text),
      proposedBy: z.looseObject({ actor: text, source: text }),
      createdAt: text,
      expiresAt: z.iso.datetime(),
      input: z.looseObject({}),
    }),
  ),
});

/** @throws {SvcmError} PROPOSALS_FAILED if the file is damaged; then nothing can be approved or run */
export function parseProposals(content: string, path: string): readonly StoredProposal[] {
  try {
    return fileSchema.parse(JSON.parse(content)).proposals as unknown as StoredProposal[];
  } catch {
    throw new SvcmError("PROPOSALS_FAILED", {
      path,
      details: `${path} is not a file of svcm's proposals. Accepted: what svcm wrote. Remove it, and propose again.`,
    });
  }
}

export function renderProposals(proposals: readonly StoredProposal[]): string {
  return `${JSON.stringify({ version: 1, proposals })}\n`;
}

/** Leaves out the input, which holds values. */
export function toBody({
  input: _i,
  isByToken: _t,
  deployPlan: _d,
  approver: _a,
  parent: _p,
  runner: _r,
  ...body
}: StoredProposal): Proposal {
  return body;
}
