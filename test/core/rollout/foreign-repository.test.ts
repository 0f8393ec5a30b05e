/** A repository of which Git says nothing. */
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { execute, nodePorts, rolloutPlan, type Plan } from "../../../src/core/index.ts";
import { makeRepository } from "../../support/git.ts";
import { isRoot } from "../../support/machine.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

type PlanOf = (path?: string) => Promise<Plan>;

function makeChecked(): { readonly root: string; readonly plan: PlanOf } {
  const { root } = makeRepository({ "pm2/ecosystem.dev.config.cjs": "module.exports = { apps: [] };" });
  const plan: PlanOf = async (path = process.env["PATH"]) => {
    const env = { PATH: path, HOME: temporaryFolder(), PM2_HOME: temporaryFolder() };
    const ports = nodePorts({ root, cwd: root, env });
    return execute(rolloutPlan, ports, { environment: "dev" }, { source: "cli", grants: ["read"] });
  };
  return { root, plan };
}

test.skipIf(!isRoot)("a plan says that Git refuses the checkout of another user (needs root)", async () => {
  const { root, plan } = makeChecked();
  expect(await plan()).toMatchObject({ git: { commit: expect.any(String) }, issues: [] });
  execFileSync("chown", ["-R", "12345", root]);
  const { git, issues } = await plan();
  expect([git, issues]).toEqual([null, [expect.objectContaining({ code: "GIT_OWNERSHIP", severity: "warning" })]]);
  expect(issues[0]?.message).toContain(`git config --global --add safe.directory ${root}`);
});

test.each([
  ["is not installed", "GIT_NOT_FOUND", () => "/none"],
  ["cannot read HEAD", "GIT_FAILED", (root: string) => writeFileSync(join(root, ".git/HEAD"), `${"1".repeat(40)}\n`)],
  ["finds no repository", "GIT_NO_REPOSITORY", (root: string) => rmSync(join(root, ".git/HEAD"))],
] as const)("a plan says that Git %s", async (_, code, damage) => {
  const { root, plan } = makeChecked();
  const { git, issues } = await plan(damage(root) ?? process.env["PATH"]);
  expect([git, issues]).toEqual([null, [expect.objectContaining({ code, severity: "warning" })]]);
  expect(issues[0]?.message).toMatch(
    /^Without a record of the start, only the times of files show what changed, because Git does not answer: /,
  );
});

test("a plan of a repository without a commit says nothing of Git", async () => {
  const { root, plan } = makeChecked();
  execFileSync("git", ["update-ref", "-d", "HEAD"], { cwd: root });
  expect(await plan()).toMatchObject({ git: null, issues: [] });
});
