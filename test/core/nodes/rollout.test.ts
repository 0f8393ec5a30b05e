/** The decisions of a rollout over nodes, step by step. The tests of the fleet do the same with real nodes. */
import { describe, expect, test } from "vitest";
import type { FleetRollout, RolledNode } from "../../../src/core/api/fleet-rollout.ts";
import {
  nextMove,
  recordRequests,
  recordResponse,
  staleReason,
  transferRollout,
  turnBack,
  type Move,
  type NodeResponse,
} from "../../../src/core/nodes/rollout.ts";

type Node = readonly [state: RolledNode["state"], more?: Partial<RolledNode>];

/** Nodes `a`, `b` and so on. */
function rollout(nodes: readonly Node[], more: Partial<FleetRollout> = {}): FleetRollout {
  return {
    id: "r1",
    environment: "dev",
    owner: "edda",
    holder: "h1",
    startedAt: "2030-01-01T00:00:00.000Z",
    direction: "apply",
    outcome: null,
    maxParallel: 1,
    choices: { environment: "dev" },
    steps: 7,
    nodes: nodes.map(([state, one], at) => ({ node: "abcdef".charAt(at), plan: "p1", state, ...one })),
    ...more,
  };
}

const text = (move: Move): string =>
  move.do === "request" ? move.nodes.join(" ") : move.do === "end" ? move.outcome : move.do;

const LATE = { code: "FLEET_FAILED" };
const back = { direction: "rollback" } as const;
const stay = { choices: { environment: "dev", revert: false } };

describe("the next move", () => {
  test.each<[string, readonly Node[], Partial<FleetRollout>, string]>([
    ["one node at a time", [["waiting"], ["waiting"]], {}, "a"],
    ["as many as may", [["applied"], ["waiting"], ["waiting"], ["waiting"]], { maxParallel: 2 }, "b c"],
    ["a request whose response was lost is repeated", [["applied"], ["applying"], ["waiting"]], {}, "b"],
    ["the end", [["applied"], ["unchanged"]], {}, "applied"],
    ["a failed node turns the others back", [["applied"], ["failed"], ["waiting"]], {}, "turn-back"],
    ["a half node, too", [["applied"], ["half"], ["waiting"]], {}, "turn-back"],
    ["a node without a response, too", [["applied"], ["applying", LATE], ["waiting"]], {}, "turn-back"],
    ["or stops them, if the user wants no revert", [["applied"], ["failed"], ["waiting"]], stay, "stop"],
    ["the last one returns first", [["applied"], ["half"], ["failed"], ["waiting"]], back, "b"],
    ["a node that may have applied returns, too", [["applied"], ["applying"], ["waiting"]], back, "b"],
    ["a return that failed is not repeated", [["applied"], ["returning", LATE]], back, "a"],
    ["but it is no end", [["returned"], ["returning", LATE]], back, "stop"],
    ["all have returned", [["returned"], ["failed"], ["unchanged"], ["waiting"]], back, "returned"],
  ])("%s", (_what, nodes, more, expected) => {
    expect(text(nextMove(rollout(nodes, more), { busy: new Set(), isStopping: false }))).toBe(expected);
  });

  test.each<[string, readonly Node[], Partial<FleetRollout>, readonly string[], boolean, string]>([
    ["a busy node has its place", [["applying"], ["waiting"], ["waiting"]], { maxParallel: 2 }, ["a"], false, "b"],
    ["no place is free", [["applying"], ["waiting"]], {}, ["a"], false, "wait"],
    ["the last one is busy", [["applied"], ["applying"]], {}, ["b"], false, "wait"],
    ["a failure waits for the busy ones", [["failed"], ["applying"]], { maxParallel: 2 }, ["b"], false, "wait"],
    ["a stop waits for the busy ones", [["applying"], ["waiting"]], {}, ["a"], true, "wait"],
    ["a stop stops", [["applied"], ["waiting"]], {}, [], true, "stop"],
    ["a stop also stops a return", [["applied"], ["failed"]], back, [], true, "stop"],
  ])("with busy nodes: %s", (_what, nodes, more, busy, isStopping, expected) => {
    expect(text(nextMove(rollout(nodes, more), { busy: new Set(busy), isStopping }))).toBe(expected);
  });
});

test("a request has the next number, and a repeated one keeps its own", () => {
  const first = recordRequests(rollout([["waiting"], ["applying", { step: 3 }], ["waiting"]]), ["a", "b"]);
  expect([first.steps, ...first.nodes.map(({ state, step }) => `${state} ${step}`)]).toEqual([
    8,
    "applying 8",
    "applying 3",
    "waiting undefined",
  ]);
  const returning = recordRequests(turnBack(first), ["a"]);
  expect(returning.nodes[0]).toMatchObject({ state: "returning", step: 9 });
});

describe("a response", () => {
  const reason = "It ended.";
  test.each<[string, NodeResponse, Partial<RolledNode>]>([
    ["a release", { release: "20300101-000000-aaaa" }, { state: "applied", release: "20300101-000000-aaaa" }],
    ["nothing to do", { release: null }, { state: "unchanged" }],
    ["a revert", { kind: "APPLY_REVERTED", code: "HEALTH_CRASHED", reason }, { state: "failed", reason }],
    ["a refusal", { kind: "PLAN_STALE" }, { state: "failed", code: "PLAN_STALE" }],
    ["half", { kind: "APPLY_HALF", reason }, { state: "half", code: "APPLY_HALF" }],
    ["a defect", { kind: "DEFECT" }, { state: "half" }],
    ["none", { kind: "FLEET_FAILED" }, { state: "applying", code: "FLEET_FAILED" }],
    ["a busy node", { kind: "SERVICE_BUSY" }, { state: "applying" }],
    ["another holder", { kind: "APPLY_LOCKED", code: "ROLLOUT_MOVED_ON" }, { state: "applying" }],
    ["a lock of the node", { kind: "APPLY_LOCKED" }, { state: "failed" }],
  ])("to an apply: %s", (_what, response, expected) => {
    const after = recordResponse(rollout([["applying", { step: 3 }], ["waiting"]]), "a", response);
    expect(after.nodes).toMatchObject([{ step: 3, ...expected }, { state: "waiting" }]);
    expect(after.nodes[0]).not.toHaveProperty("code", undefined);
  });

  const keptCode = { commit: null, former: null };
  test.each<[string, NodeResponse, Partial<RolledNode>]>([
    ["done", {}, { state: "returned" }],
    ["nothing to return", { kind: "NOTHING_TO_ROLL_BACK" }, { state: "returned" }],
    ["its code stays", { keptCode }, { state: "returning", code: "CODE_STAYS" }],
    ["its code stayed", { kind: "NOTHING_TO_ROLL_BACK", code: "CODE_STAYS" }, { state: "returning" }],
    ["a failure", { kind: "APPLY_HALF", reason }, { state: "returning", code: "APPLY_HALF", reason }],
  ])("to a return: %s", (_what, response, expected) => {
    expect(recordResponse(rollout([["returning"]], back), "a", response).nodes).toMatchObject([expected]);
  });

  test.each([
    [600, "x".repeat(600)],
    [601, `${"x".repeat(600)}…`],
  ])("a reason of %i characters", (length, shown) => {
    const long = recordResponse(rollout([["applying"]]), "a", { kind: "APPLY_HALF", reason: "x".repeat(length) });
    expect(long.nodes[0]?.reason).toBe(shown);
  });
});

const failed: readonly Node[] = [
  ["applied", { step: 1 }],
  ["failed", { step: 2, code: "HEALTH_CRASHED", reason: "It ended." }],
  ["applying", { step: 3, code: "FLEET_FAILED" }],
  ["returning", { step: 4, code: "APPLY_HALF" }],
];

test.each([
  ["apply", ["applied 1", "waiting 2", "applying 3", "returning 8"]],
  ["rollback", ["applied 1", "failed 2 HEALTH_CRASHED", "applying 3", "returning 8"]],
] as const)("who takes a rollout over to %s repeats what has no response", (direction, expected) => {
  const by = { holder: "h2", owner: "adam", direction, takenFrom: "edda" };
  const taken = transferRollout(rollout(failed), by);
  expect(taken).toMatchObject({ ...by, steps: 8 });
  expect(taken.nodes.map(({ state, step, code }) => [state, step, code].filter(Boolean).join(" "))).toEqual(expected);
});

describe("a node carries a step out only while the record has it", () => {
  const now = rollout([["applying", { step: 3 }]]);
  const fence = { environment: "dev", rollout: "r1", step: 3, holder: "h1", revision: 5 };
  const request = { ...fence, node: "a", user: "edda", operation: "rollout.apply" };

  test.each<[string, FleetRollout, number, Partial<typeof request>, string | undefined]>([
    ["the present one", now, 5, {}, undefined],
    ["a newer record has it, too", now, 6, {}, undefined],
    ["the record is older than the request", now, 4, {}, "is not the current one"],
    ["another rollout", { ...now, id: "r2" }, 5, {}, "Another rollout is current: r2."],
    ["it has ended", { ...now, outcome: "unlocked" }, 5, {}, "has ended: unlocked."],
    ["another process", { ...now, holder: "h2" }, 5, {}, "has taken over"],
    ["another user", { ...now, owner: "adam" }, 5, {}, "adam has taken over"],
    ["another step", now, 5, { step: 2 }, "Step 2 of the rollout is not the current one of a."],
    ["another node", now, 5, { node: "b" }, "is not the current one of b."],
    ["a return instead", now, 5, { operation: "rollout.rollback" }, "is not the current one"],
    ["a deploy is an apply", now, 5, { operation: "deploy.run" }, undefined],
  ])("%s", (_what, current, revision, more, expected) => {
    const reason = staleReason({ rollout: current, revision }, { ...request, ...more });
    expect(reason).toEqual(expected === undefined ? undefined : expect.stringContaining(expected));
  });

  test("and not without a record", () => {
    expect(staleReason(undefined, request)).toMatch(/no record/);
  });
});
