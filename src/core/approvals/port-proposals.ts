import type { HasBootOutlook } from "../rollout/port-deployed.ts";
import type { HasTokens } from "../access/ports.ts";
import type { HasEffects } from "../env/port-effects.ts";
import type { DeployPorts } from "../deploy/deploy-context.ts";
import type { UniqueProcess } from "../files/ports.ts";
import type { StoredProposal } from "./stored.ts";

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
