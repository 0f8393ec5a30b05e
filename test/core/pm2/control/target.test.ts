import { expect, test } from "vitest";
import { isOwnProcess } from "../../../../src/core/pm2/process-record.ts";
import { resolveTarget, targetName, type TargetRequest } from "../../../../src/core/pm2/target.ts";
import { record } from "../../../support/process-record.ts";

const list = [
  record({ pmId: 0, name: "1" }),
  record({ pmId: 1, name: "api", namespace: "backend" }),
  record({ pmId: 2, name: "api", namespace: "backend" }),
  record({ pmId: 3, name: "twin", namespace: "left" }),
  record({ pmId: 4, name: "twin", namespace: "right" }),
  record({ pmId: 5, name: "same", script: "/srv/a.js" }),
  record({ pmId: 6, name: "same", script: "/srv/b.js" }),
];
const ids = (requested: Partial<TargetRequest>): number[] =>
  resolveTarget(list, { scope: "process", ...requested }).map(({ pmId }) => pmId);

function refusal(requested: Partial<TargetRequest>): unknown {
  try {
    return ids(requested);
  } catch (error) {
    const { kind, message } = error as { kind: string; message: string };
    return `${kind}: ${message}`;
  }
}

test("a name means all instances of an app, a number one process, a namespace all of its processes", () => {
  expect(ids({ name: "api" })).toEqual([1, 2]);
  expect(ids({ name: "1" })).toEqual([0]);
  expect(ids({ pmId: 1 })).toEqual([1]);
  expect(ids({ pmId: 1, name: "api" })).toEqual([1]);
  expect(ids({ name: "twin", namespace: "right" })).toEqual([4]);
  expect(ids({ scope: "namespace", namespace: "backend" })).toEqual([1, 2]);
  expect(ids({ scope: "namespace", name: "left" })).toEqual([3]);
});

test("a name that several apps have is refused", () => {
  expect(refusal({ name: "twin" })).toMatch(
    /^PROCESS_AMBIGUOUS: 2 processes .*id 3, namespace left.*id 4, namespace right/,
  );
  expect(refusal({ name: "same" })).toMatch(/^PROCESS_AMBIGUOUS: .*\/srv\/a\.js.*\/srv\/b\.js/);
});

test("an unknown name is refused with a list of the known ones", () => {
  expect(refusal({ name: "apis" })).toMatch(
    /^PROCESS_NOT_FOUND: .*Did you mean "api"\? Accepted: "1", "api", "same", "twin"\.$/,
  );
  expect(refusal({ name: "all" })).toMatch(/^PROCESS_NOT_FOUND/);
  expect(refusal({ name: "/api/" })).toMatch(/^PROCESS_NOT_FOUND/);
  expect(refusal({ pmId: 9 })).toMatch(/^PROCESS_NOT_FOUND/);
  expect(refusal({ pmId: 0, name: "api" })).toBe(
    `PROCESS_NOT_FOUND: PM2's number 0 is 1 (id 0, namespace default), not "api".`,
  );
  expect(refusal({ name: "api", namespace: "left" })).toMatch(/^PROCESS_NOT_FOUND/);
  expect(refusal({ scope: "namespace", namespace: "none" })).toMatch(/^PROCESS_NOT_FOUND/);
});

test("a request without a target is refused", () => {
  expect(refusal({})).toMatch(/^INVALID_REQUEST/);
  expect(refusal({ scope: "namespace" })).toMatch(/^INVALID_REQUEST/);
  expect(refusal({ scope: "namespace", namespace: "left", pmId: 3 })).toMatch(/^INVALID_REQUEST/);
  expect(refusal({ scope: "namespace", namespace: "left", name: "twin" })).toMatch(/^INVALID_REQUEST/);
});

test("several targets are resolved once each, and if one is refused, all are", () => {
  expect(ids({ names: ["api", "1"], pmIds: [2, 3] })).toEqual([1, 2, 0, 3]);
  expect(ids({ names: ["twin"], namespace: "right" })).toEqual([4]);
  expect(refusal({ names: ["api", "none"] })).toMatch(/^PROCESS_NOT_FOUND: .*"none"/);
  expect(refusal({ names: ["api"], pmIds: [9] })).toMatch(/^PROCESS_NOT_FOUND/);
  expect(refusal({ names: ["api"], name: "1" })).toMatch(/^INVALID_REQUEST/);
  expect(refusal({ scope: "namespace", namespace: "left", names: ["api"] })).toMatch(/^INVALID_REQUEST/);
});

test("a target has its name even if the request has its number", () => {
  const found = [record({ name: "twin" })];
  expect(targetName({ scope: "process", pmId: 3 }, found)).toBe("twin");
  expect(targetName({ scope: "process", pmId: 3, name: "twin" }, found)).toBe("twin");
  expect(targetName({ scope: "process", names: ["api"], pmIds: [3] }, found)).toBe("api, twin");
  expect(targetName({ scope: "namespace", namespace: "left" }, found)).toBe("left");
});

test("the process that serves the request is known by its pid, its ancestors and its number in PM2", () => {
  const none = { pids: [10, 11], pm2: null };
  expect(isOwnProcess(record({ pid: 11 }), none)).toBe(true);
  expect(isOwnProcess(record({ pid: 12 }), none)).toBe(false);
  expect(isOwnProcess(record({ pid: null }), none)).toBe(false);
  expect(isOwnProcess(record({ pmId: 3, name: "svcm" }), { pids: [10], pm2: { pmId: 3, name: "svcm" } })).toBe(true);
  expect(isOwnProcess(record({ pmId: 3, name: "api" }), { pids: [10], pm2: { pmId: 3, name: "svcm" } })).toBe(false);
});
