/** The life of a proposal: pending, then approved, then running, and one end. */
import { SvcmError } from "../api/errors.ts";
import type { Caller } from "../access/operation.ts";
import { rightsOf } from "../access/rights.ts";
import { isExpired, type StoredToken } from "../access/tokens.ts";
import type { UniqueProcess } from "../files/ports.ts";
import type { StoredProposal } from "./port-proposals.ts";

export const LIFETIME_MS = 3_600_000;
/** A time service corrects a clock by less. */
const CLOCK_STEP_MS = 60_000;
const MAX_KEPT = 100;
const MAX_PENDING = 10;

export function isOpen({ state }: Pick<StoredProposal, "state">): boolean {
  return state === "pending" || state === "approved" || state === "running";
}

/**
 * A proposal that waited too long is `expired`, and its values are gone. After the clock was set back, the time that it
 * waited is unknown.
 */
export function withExpiry(proposal: StoredProposal, nowMs: number): StoredProposal {
  const isWaiting = proposal.state === "pending" || proposal.state === "approved";
  const leftMs = Date.parse(proposal.expiresAt) - nowMs;
  const isInTime = leftMs > 0 && leftMs <= LIFETIME_MS + CLOCK_STEP_MS;
  return isWaiting && !isInTime ? { ...proposal, state: "expired", input: {} } : proposal;
}

/** Never drops one that is open. */
export function keepNewest(proposals: readonly StoredProposal[]): readonly StoredProposal[] {
  const kept = new Set(proposals.filter((one) => !isOpen(one)).slice(-MAX_KEPT));
  return proposals.filter((one) => isOpen(one) || kept.has(one));
}

/** @throws {SvcmError} PROPOSAL_NOT_FOUND */
export function findProposal(all: readonly StoredProposal[], id: string, nowMs: number): StoredProposal {
  const found = all.find((one) => one.id === id.toUpperCase());
  if (found !== undefined) return withExpiry(found, nowMs);
  throw new SvcmError("PROPOSAL_NOT_FOUND", {
    details: `No proposal has the id ${JSON.stringify(id)}.`,
  });
}

/** @throws {SvcmError} PROPOSAL_REFUSED with PROPOSALS_FULL */
export function requireRoom(all: readonly StoredProposal[], { actor }: Caller, nowMs: number): void {
  const own = all.filter((one) => withExpiry(one, nowMs).state === "pending" && one.proposedBy.actor === actor);
  if (own.length < MAX_PENDING) return;
  throw new SvcmError("PROPOSAL_REFUSED", {
    code: "PROPOSALS_FULL",
    details: `${MAX_PENDING} proposals of ${JSON.stringify(actor ?? "")} wait for a user. A user approves or denies them first.`,
  });
}

/** @throws {SvcmError} PROPOSAL_REFUSED with PROPOSAL_ENDED */
export function requirePending(proposal: StoredProposal): void {
  if (proposal.state === "pending") return;
  throw new SvcmError("PROPOSAL_REFUSED", { code: "PROPOSAL_ENDED", details: stateSentence(proposal) });
}

/** @throws {SvcmError} PROPOSAL_REFUSED with PROPOSAL_NOT_APPROVED or PROPOSAL_ENDED */
export function requireApproved(proposal: StoredProposal): void {
  if (proposal.state === "approved") return;
  const code = proposal.state === "pending" ? "PROPOSAL_NOT_APPROVED" : "PROPOSAL_ENDED";
  throw new SvcmError("PROPOSAL_REFUSED", { code, details: stateSentence(proposal) });
}

function stateSentence({ id, state, decidedBy, outcome, code, expiresAt }: StoredProposal): string {
  const by = decidedBy === undefined ? "" : ` by ${JSON.stringify(decidedBy.actor)}`;
  const end = outcome ?? code;
  const words: Readonly<Record<StoredProposal["state"], string>> = {
    pending: `waits for a user, until ${expiresAt}. No answer of a program approves it`,
    approved: `is approved${by} already`,
    running: "runs now. It runs once",
    done: `was run${end === undefined ? "" : `: ${end}`}. It runs once`,
    failed: `was run and failed${end === undefined ? "" : `: ${end}`}. It runs once`,
    denied: `was denied${by}`,
    stale: "is out of date: what it was computed from has changed. Propose the present plan",
    expired: `expired at ${expiresAt}. Propose it again`,
    interrupted: "was cut off while it ran, and is not run again. A new plan shows what is left to do",
  };
  return `The proposal ${id} ${words[state]}.`;
}

/**
 * A user at a terminal, or a token that did not propose it. Under the account of the user, this is a guard and a
 * record: a program there can open a separate terminal.
 * @throws {SvcmError} FORBIDDEN with APPROVAL_SELF or APPROVAL_NEEDS_USER
 */
export function requireApprover(
  { id, proposedBy, isByToken, parent }: StoredProposal,
  { actor, source, role }: Caller,
  ancestors: readonly UniqueProcess[],
): void {
  if (source === "mcp") throw approvalRefusal("APPROVAL_NEEDS_USER", `A program does not approve the proposal ${id}.`);
  if (source === "cli") {
    if (parent !== undefined && ancestors.some((one) => isSameProcess(one, parent)))
      throw approvalRefusal(
        "APPROVAL_SELF",
        `This terminal was started by the program that proposed ${id}. Accepted: a terminal that you opened yourself.`,
      );
    return;
  }
  if (role === undefined)
    throw approvalRefusal(
      "APPROVAL_NEEDS_USER",
      "Accepted: a token with the role editor or admin, or a user at a terminal.",
    );
  if (isByToken && proposedBy.actor === actor)
    throw approvalRefusal(
      "APPROVAL_SELF",
      `The token ${JSON.stringify(actor)} proposed ${id}. Accepted: the token of another user.`,
    );
}

/** The approver may have lost the token since. @throws {SvcmError} PROPOSAL_REFUSED with PROPOSAL_NOT_APPROVED */
export function requireValidApprover(
  { id, decidedBy, approver }: StoredProposal,
  tokens: readonly StoredToken[] | undefined,
  nowMs: number,
): void {
  if (approver === undefined) return;
  const token = tokens?.find(({ name, createdAt }) => name === decidedBy?.actor && createdAt === approver.createdAt);
  if (token !== undefined && !isExpired(token, nowMs) && rightsOf[token.role].includes("write")) return;
  throw new SvcmError("PROPOSAL_REFUSED", {
    code: "PROPOSAL_NOT_APPROVED",
    details: `The token that approved the proposal ${id} is not valid any more. Another user approves a new proposal.`,
  });
}

function isSameProcess(one: UniqueProcess, other: UniqueProcess): boolean {
  return (
    one.pid === other.pid &&
    one.startTime === other.startTime &&
    one.bootId === other.bootId &&
    one.pidNamespace === other.pidNamespace
  );
}

function approvalRefusal(code: "APPROVAL_SELF" | "APPROVAL_NEEDS_USER", details: string): SvcmError {
  return new SvcmError("FORBIDDEN", { code, details });
}
