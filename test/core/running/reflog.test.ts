import { expect, test } from "vitest";
import { findHeadAt, parseReflog } from "../../../src/core/running/evidence/repository.ts";

const [ZERO, A, B, C] = ["0", "a", "b", "c"].map((letter) => letter.repeat(40)) as [string, string, string, string];
const line = (from: string, to: string, seconds: number): string =>
  `${from} ${to} An A. Thor <a@example.com> ${seconds} +0100\tcommit: x > y`;
const moves = parseReflog([line(ZERO, A, 10), line(A, B, 20), line(B, C, 30), ""].join("\n"));

test.each([
  ["between two moves", 25_500, B, [], 1],
  ["in the second of a move", 20_500, B, [A], 1],
  ["in the second of the first move", 10_000, A, [], 2],
  ["before the log begins", 5000, null, [], 3],
  ["after the last move", 40_000, C, [], 0],
])("HEAD %s", (_name, atMs, commit, others, later) => {
  const found = findHeadAt(moves, atMs);
  expect([found.commit, found.others, found.later.length]).toEqual([commit, others, later]);
});

test("each commit of a second may have been HEAD", () => {
  const quick = parseReflog([line(ZERO, A, 10), line(A, B, 20), line(B, C, 20)].join("\n"));
  expect(findHeadAt(quick, 20_900)).toMatchObject({ commit: C, others: [A, B] });
});

test("a line of another form is left out", () => {
  expect(parseReflog(`x\n${line(A, B, 1)}\n${A} short`)).toEqual([{ from: A, to: B, atMs: 1000, isReset: false }]);
});

test("what drops uncommitted changes is a reset", () => {
  const told = (from: string, to: string, message: string): string =>
    line(from, to, 1).replace("commit: x > y", message);
  const lines = [told(A, A, "reset: moving to HEAD"), told(A, B, "reset: moving to b"), told(A, B, "checkout: moving")];
  // A move that stays at the commit.
  lines.push(told(A, A, "checkout: moving from main to fix"));
  expect(parseReflog(lines.join("\n")).map(({ isReset }) => isReset)).toEqual([true, true, false, true]);
});
