import { expect, test } from "vitest";
import type { DeployPlan, DeployResult } from "../../../src/core/api/deploy.ts";
import { renderDeploy, renderPrepared } from "../../../src/commands/terminal/rollout.ts";

test("commits that Git has lost are called unknown", () => {
  const prepared = {
    commit: "a".repeat(40),
    subject: "v2",
    folder: "/d/releases/2",
    from: "b".repeat(40),
    commits: null,
  };
  const head = 'Prepared aaaaaaa "v2" (now bbbbbbb) in /d/releases/2. No process was touched.';
  expect(renderPrepared(prepared as DeployPlan)).toBe(`${head}\n  The commits between them are unknown.`);
  expect(renderPrepared({ ...prepared, commits: { added: [], removed: [] } } as unknown as DeployPlan)).toBe(head);
});

test("a removed release need not be older than the kept ones", () => {
  const deploy = { commit: "a".repeat(40), subject: "v3", id: "3", current: true };
  const plan = { held: [], leftOut: [], unknown: [] };
  const result = { deploy, plan, release: null, pruned: ["2"], notes: [] } as unknown as DeployResult;
  expect(renderDeploy(result).split("\n").at(-1)).toBe("  No longer needed, so removed: 2.");
});
