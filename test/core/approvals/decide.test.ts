/** The users who may decide on a proposal, its time, and the words of a refusal. */
import { describe, expect, test } from "vitest";
import type { Caller } from "../../../src/core/access/operation.ts";
import { SvcmError } from "../../../src/core/api/errors.ts";
import {
  findProposal,
  isOpen,
  keepNewest,
  LIFETIME_MS,
  requireApproved,
  requireApprover,
  requirePending,
  requireRoom,
  requireValidApprover,
  withExpiry,
} from "../../../src/core/approvals/decide.ts";
import type { StoredProposal } from "../../../src/core/approvals/port-proposals.ts";

const NOW = Date.parse("2026-11-27T08:00:00.000Z");
const MINUTE = 60_000;
const STATES = [
  "pending",
  "approved",
  "running",
  "done",
  "failed",
  "denied",
  "stale",
  "expired",
  "interrupted",
] as const;

function proposal(more: Partial<StoredProposal> = {}): StoredProposal {
  return {
    id: "A1",
    kind: "env.write",
    state: "pending",
    environment: "dev",
    planId: "p1",
    summary: [],
    proposedBy: { actor: "robot", source: "mcp" },
    createdAt: new Date(NOW).toISOString(),
    expiresAt: new Date(NOW + LIFETIME_MS).toISOString(),
    isByToken: false,
    input: { values: { A: "1" } },
    ...more,
  };
}
const refusalOf = (work: () => void): string | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    return `${error.body.code}: ${error.body.details}`;
  }
};

test("a proposal lives for an hour from its decision", () => expect(LIFETIME_MS).toBe(3_600_000));

test.each<[StoredProposal["state"], boolean]>(
  STATES.map((state) => [state, ["pending", "approved", "running"].includes(state)]),
)("a proposal that is %s is open: %s", (state, expected) => expect(isOpen({ state })).toBe(expected));

describe("a proposal that waits", () => {
  test.each<[string, StoredProposal["state"], number, boolean]>([
    ["until the last moment", "pending", LIFETIME_MS - 1, false],
    ["and its time is over", "pending", LIFETIME_MS, true],
    ["approved, and its time is over", "approved", LIFETIME_MS, true],
    ["while a time service corrects the clock", "pending", -MINUTE, false],
    ["and the clock was set back", "pending", -MINUTE - 1, true],
  ])("%s", (_when, state, passedMs, isExpired) => {
    const seen = withExpiry(proposal({ state }), NOW + passedMs);
    expect(seen).toEqual(isExpired ? proposal({ state: "expired", input: {} }) : proposal({ state }));
  });

  test.each(STATES.slice(2))("no longer, because it is %s, does not expire", (state) => {
    expect(withExpiry(proposal({ state }), NOW + 2 * LIFETIME_MS).state).toBe(state);
  });
});

test("those that are open are kept, and a hundred that ended", () => {
  const all = [
    proposal({ id: "open" }),
    ...Array.from({ length: 101 }, (_, at) => proposal({ id: String(at), state: "done" })),
  ];
  const kept = keepNewest(all).map(({ id }) => id);
  expect([kept.length, kept[0], kept[1], kept.at(-1)]).toEqual([101, "open", "1", "100"]);
  expect(keepNewest(all.slice(0, -1))).toHaveLength(101);
  // An open one does not count among those that ended.
  expect(keepNewest([...all.slice(2), proposal({ id: "late" })])).toHaveLength(101);
});

test("a proposal is found by its id in small letters, too, with its present state", () => {
  expect(findProposal([proposal({ id: "B2" }), proposal()], "a1", NOW).id).toBe("A1");
  expect(findProposal([proposal()], "A1", NOW + LIFETIME_MS).state).toBe("expired");
  expect(() => findProposal([proposal()], "A2", NOW)).toThrow('No proposal has the id "A2".');
});

test("ten of one program may wait", () => {
  const caller = { actor: "robot" } as Caller;
  const ten = Array.from({ length: 10 }, () => proposal());
  const full = /^PROPOSALS_FULL: 10 proposals of "robot" wait for a user\./;
  expect(refusalOf(() => requireRoom(ten, caller, NOW))).toMatch(full);
  expect(refusalOf(() => requireRoom(ten.slice(1), caller, NOW))).toBeUndefined();
  expect(refusalOf(() => requireRoom(ten, { ...caller, actor: "other" }, NOW))).toBeUndefined();
  expect(refusalOf(() => requireRoom(ten, caller, NOW + LIFETIME_MS))).toBeUndefined();
  expect(refusalOf(() => requireRoom([...ten.slice(1), proposal({ state: "approved" })], caller, NOW))).toBeUndefined();
});

describe("a proposal that is", () => {
  const by = { decidedBy: { actor: "ann", source: "cli" } } as const;
  test.each<[Partial<StoredProposal>, string | undefined, string]>([
    [
      { state: "pending" },
      undefined,
      "PROPOSAL_NOT_APPROVED: The proposal A1 waits for a user, until 2026-11-27T09:00:00.000Z. No answer of a program approves it.",
    ],
    [{ state: "running" }, "ENDED", "PROPOSAL_ENDED: The proposal A1 runs now. It runs once."],
    [{ state: "done" }, "ENDED", "PROPOSAL_ENDED: The proposal A1 was run. It runs once."],
    [
      { state: "done", outcome: "release 7" },
      "ENDED",
      "PROPOSAL_ENDED: The proposal A1 was run: release 7. It runs once.",
    ],
    [
      { state: "failed", code: "EACCES" },
      "ENDED",
      "PROPOSAL_ENDED: The proposal A1 was run and failed: EACCES. It runs once.",
    ],
    [{ state: "failed" }, "ENDED", "PROPOSAL_ENDED: The proposal A1 was run and failed. It runs once."],
    [{ state: "denied", ...by }, "ENDED", 'PROPOSAL_ENDED: The proposal A1 was denied by "ann".'],
    [{ state: "denied" }, "ENDED", "PROPOSAL_ENDED: The proposal A1 was denied."],
    [
      { state: "stale" },
      "ENDED",
      "PROPOSAL_ENDED: The proposal A1 is out of date: what it was computed from has changed. Propose the present plan.",
    ],
    [
      { state: "expired" },
      "ENDED",
      "PROPOSAL_ENDED: The proposal A1 expired at 2026-11-27T09:00:00.000Z. Propose it again.",
    ],
    [
      { state: "interrupted" },
      "ENDED",
      "PROPOSAL_ENDED: The proposal A1 was cut off while it ran, and is not run again. A new plan shows what is left to do.",
    ],
  ])("%j is neither decided nor run again", (more, ended, sentence) => {
    expect(refusalOf(() => requireApproved(proposal(more)))).toBe(sentence);
    expect(refusalOf(() => requirePending(proposal(more)))).toBe(ended === undefined ? undefined : sentence);
  });

  test("approved runs, and is not approved twice", () => {
    const approved = proposal({ state: "approved", ...by });
    expect(refusalOf(() => requireApproved(approved))).toBeUndefined();
    expect(refusalOf(() => requirePending(approved))).toBe(
      'PROPOSAL_ENDED: The proposal A1 is approved by "ann" already.',
    );
  });
});

describe("a proposal is approved by", () => {
  const parent = { host: "h", pid: 7, startTime: "1", bootId: "b", pidNamespace: "n" };
  const cli = { source: "cli", actor: "ann", grants: [] } as const;
  const token = { source: "http", actor: "robot", grants: [], role: "editor" } as const;
  test.each<[string, Partial<StoredProposal>, Caller, readonly (typeof parent)[], RegExp | undefined]>([
    [
      "no program",
      {},
      { ...cli, source: "mcp" },
      [],
      /^APPROVAL_NEEDS_USER: A program does not approve the proposal A1\.$/,
    ],
    ["a user at a terminal", { parent }, cli, [{ ...parent, pid: 8 }], undefined],
    [
      "no terminal that the program opened",
      { parent },
      cli,
      [{ ...parent, pid: 8 }, parent],
      /^APPROVAL_SELF: This terminal was started by the program that proposed A1\./,
    ],
    ["a terminal, if nothing is known of the program", {}, cli, [parent], undefined],
    ["a later process of the same pid", { parent }, cli, [{ ...parent, startTime: "2" }], undefined],
    ["a process of another boot", { parent }, cli, [{ ...parent, bootId: "c" }], undefined],
    ["a process of another container", { parent }, cli, [{ ...parent, pidNamespace: "m" }], undefined],
    [
      "no request without a token",
      {},
      { source: "http", grants: [] },
      [],
      /^APPROVAL_NEEDS_USER: Accepted: a token with the role/,
    ],
    [
      "not the token that proposed it",
      { isByToken: true },
      token,
      [],
      /^APPROVAL_SELF: The token "robot" proposed A1\./,
    ],
    ["another token", { isByToken: true }, { ...token, actor: "ann" }, [], undefined],
    ["a token with the name of the user who proposed it", { isByToken: false }, token, [], undefined],
  ])("%s", (_who, more, caller, ancestors, refusal) => {
    const found = refusalOf(() => requireApprover(proposal(more), caller, ancestors));
    if (refusal === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(refusal);
  });
});

describe("the token that approved", () => {
  const createdAt = "2026-11-01T00:00:00.000Z";
  const stored = { name: "ann", createdAt, role: "editor" } as const;
  const approved = proposal({ decidedBy: { actor: "ann", source: "http" }, approver: { createdAt } });
  test.each<[string, readonly object[] | undefined, boolean]>([
    ["is still there", [stored], true],
    ["is not there any more", [], false],
    ["cannot be read", undefined, false],
    ["is another one of the same name", [{ ...stored, createdAt: "2026-11-02T00:00:00.000Z" }], false],
    ["is of another name", [{ ...stored, name: "eve" }], false],
    ["may only read now", [{ ...stored, role: "viewer" }], false],
    ["has expired", [{ ...stored, expiresAt: new Date(NOW).toISOString() }], false],
    ["expires later", [{ ...stored, expiresAt: new Date(NOW + 1).toISOString() }], true],
  ])("%s", (_what, tokens, isValid) => {
    const refusal = refusalOf(() => requireValidApprover(approved, tokens as never, NOW));
    expect(refusal).toEqual(
      isValid ? undefined : expect.stringMatching(/^PROPOSAL_NOT_APPROVED: The token that approved the proposal A1/),
    );
  });
  test("is not needed if a user at a terminal approved it", () => {
    expect(refusalOf(() => requireValidApprover(proposal(), [], NOW))).toBeUndefined();
  });
});
