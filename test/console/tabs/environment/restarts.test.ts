import { expect, test } from "vitest";
import { legendOf, listStaleApps } from "../../../../src/console/tabs/environment/changes.ts";

const written = {
  staleProcesses: [
    { name: "api", pmIds: [0, 1], scope: "process" },
    { name: "jobs", pmIds: [2], scope: "ecosystem", environment: "production" },
    { name: "svcm", pmIds: [3], scope: "ecosystem", environment: "production" },
  ],
} as const;
type Written = Parameters<typeof listStaleApps>[0];
const list = (watched: string) =>
  listStaleApps(written as unknown as Written, watched, [{ name: "svcm", isOwn: true }, { name: "other" }]).map(
    ({ name, refusal = "restart" }) => `${name} ${refusal}`,
  );

test("the app that serves the page is not offered for a restart", () => {
  expect(list("production")).toEqual(["api restart", "jobs restart", "svcm own"]);
});

test("a restart with the ecosystem file of another environment is not offered", () => {
  expect(list("dev")).toEqual(["api restart", "jobs elsewhere", "svcm own"]);
});

test("without an answer about the processes, each is offered", () => {
  expect(listStaleApps(written as unknown as Written, "production").map(({ refusal }) => refusal)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("an app that the page may not restart still runs with the old values", () => {
  const own = { name: "console", scope: "process", refusal: "own" } as const;
  const api = { name: "api", scope: "process" } as const;
  expect(legendOf([own], new Map())).toBe("Still running with the old values");
  expect(legendOf([own, api], new Map([["api", "restarted"]]))).toBe("Still running with the old values");
  expect(legendOf([api], new Map([["api", "restarted"]]))).toBe("Restarted with the new values");
});
