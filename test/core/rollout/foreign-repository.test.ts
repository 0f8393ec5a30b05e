/** A checkout that another user cloned: Git answers nothing about it. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { execute, nodePorts, rolloutPlan } from "../../../src/core/index.ts";
import { makeRepository } from "../../support/git.ts";
import { isRoot } from "../../support/machine.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

test.skipIf(!isRoot)("a plan says that Git refuses the checkout of another user (needs root)", async () => {
  const repository = makeRepository({ "pm2/ecosystem.dev.config.cjs": "module.exports = { apps: [] };" });
  const env = { PATH: process.env["PATH"], HOME: temporaryFolder(), PM2_HOME: temporaryFolder() };
  const ports = nodePorts({ root: repository.root, cwd: repository.root, env });
  const plan = async () => execute(rolloutPlan, ports, { environment: "dev" }, { source: "cli", grants: ["read"] });
  expect(await plan()).toMatchObject({ git: { commit: expect.any(String) }, issues: [] });
  execFileSync("chown", ["-R", "12345", repository.root]);
  const { git, issues } = await plan();
  expect([git, issues]).toEqual([null, [expect.objectContaining({ code: "GIT_OWNERSHIP", severity: "warning" })]]);
  expect(issues[0]?.message).toContain(`git config --global --add safe.directory ${repository.root}`);
});
