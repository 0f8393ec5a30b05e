/** The mark of the release that `current` leads to, in the list. */
import { expect, test } from "vitest";
import { releaseList } from "../../../src/core/rollout/operations/rollout-plan.ts";

const deploy = { root: "/d", id: "20261127080501-aaaaaaa", subject: "a", former: null };
const journal = (id: string, end: object) => [
  { event: "release", id, startedAt: "2026-11-27T08:05:01.000Z", environment: "dev", steps: [], before: [], deploy },
  { event: "end", at: "2026-11-27T08:05:02.000Z", ...end },
];

test.each([
  ["an apply that is done", { outcome: "applied" }, ["2"]],
  ["an apply that is done, while another app ended", { outcome: "half", code: "OTHER_APPS_CHANGED" }, ["2"]],
  ["an apply that is half done", { outcome: "half", code: "HEALTH_CRASHED" }, ["1"]],
])("after %s", async (_what, end, expected) => {
  const lists = [journal("2", end), journal("1", { outcome: "applied" })];
  const ports = {
    releases: { list: async () => lists, lockedSince: async () => null },
    deployed: { current: async () => deploy.id, foreign: async () => null },
  } as never;
  const { releases } = await releaseList.run(ports, {}, { source: "cli", grants: ["read"] });
  expect(releases.filter((one) => one.deploy?.isCurrent === true).map(({ id }) => id)).toEqual(expected);
});
