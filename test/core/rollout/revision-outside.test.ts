import { expect, test } from "vitest";
import { execute, nodePorts, rolloutPlan } from "../../../src/core/index.ts";
import { makeRepository } from "../../support/git.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const caller = { source: "cli", grants: ["read"] } as const;

test("a plan from a revision reads the ecosystem file of that revision, and refuses a folder outside of it", async () => {
  const file = (args: string) => `module.exports = { apps: [{ name: "web", script: "./app.cjs", args: "${args}" }] };`;
  const repository = makeRepository({ "pm2/ecosystem.dev.config.cjs": file("former"), "app.cjs": "" });
  const { root } = repository;
  repository.write("pm2/ecosystem.dev.config.cjs", file("next"));
  repository.commit();
  const plan = async (folder: Record<string, string>) => {
    const env = { PATH: process.env["PATH"], PM2_HOME: `${root}/.pm2`, ...folder };
    const request = { environment: "dev", from: "HEAD~1" };
    return await execute(rolloutPlan, nodePorts({ root, env, cwd: root }), request, caller);
  };
  const { steps } = await plan({});
  expect(steps.map((step) => `${step.do} ${step.app}`)).toEqual(["update web", "save "]);
  const outside = temporaryFolder();
  await expect(plan({ SVC_SERVICE_MANAGEMENT_PM2_DIR: outside })).rejects.toMatchObject({
    kind: "INVALID_REQUEST",
    body: { details: expect.stringContaining(`${outside}, outside of the repository`) as string },
  });
});
