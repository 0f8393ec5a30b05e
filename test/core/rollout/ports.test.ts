import { expect, test } from "vitest";
import { listDeployRoots, listReleases } from "../../../src/core/rollout/ports.ts";

const AT = "2026-11-27T08:05:01.000Z";
const MS = Date.parse(AT);
const journal = (id: string, more: object = {}) => [
  { event: "release", id, startedAt: AT, environment: "dev", steps: [], before: [], ...more },
];
const deploy = (root: string) => ({ deploy: { root, id: "x", subject: "a", former: null } });

test("a deploy root is one, however often it was deployed to", async () => {
  const list = [journal("4", deploy("/a")), journal("3", deploy("/b")), journal("2"), journal("1", deploy("/a"))];
  expect(await listDeployRoots({ releases: { list: async () => list } } as never)).toEqual(["/a", "/b"]);
});

test.each([
  ["is half done without a lock", [null, null], ["half", "half"]],
  ["runs while the lock is held since before it", [MS - 1, null], ["running", "half"]],
  ["runs if it began between the two looks", [null, MS - 1], ["running", "half"]],
  ["is half done if another one holds the lock since", [MS + 1, null], ["half", "half"]],
])("the newest release without an end %s", async (_what, looks, outcomes) => {
  const [before, after] = looks;
  const answers = [before, after];
  const releases = { list: async () => [journal("2"), journal("1")], lockedSince: async () => answers.shift() ?? null };
  expect((await listReleases(releases as never)).map(({ outcome }) => outcome)).toEqual(outcomes);
});
