/** An ecosystem file that copies the variables of the shell, read in several shells. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { execute, rolloutApply, rolloutPlan } from "../../src/core/index.ts";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";

const caller = { source: "cli", grants: ["read", "write"] } as const;
const { own } = runningPm2();

function declare(greeting: string): void {
  mkdirSync(join(own.folder, "pm2"), { recursive: true });
  const app = `{ name: "api", script: "./api.cjs", pmx: false, env: { ...process.env, GREETING: "${greeting}" } }`;
  writeFileSync(join(own.folder, "pm2/ecosystem.dev.config.cjs"), `module.exports = { apps: [${app}] };`);
}

test("variables of a shell do not count in another one, and those of the file do", async () => {
  writeFileSync(join(own.folder, "api.cjs"), IDLE);
  writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 100ms }");
  declare("hello");
  await execute(rolloutApply, own.ports({ EDITOR: "vi", FOO: "1" }), { environment: "dev" }, caller);
  const ports = own.ports({ EDITOR: "nano", BAR: "2" });
  const plan = () => execute(rolloutPlan, ports, { environment: "dev" }, caller);
  expect(await plan()).toMatchObject({
    steps: [],
    issues: [{ code: "ECOSYSTEM_VALUE_VOLATILE", severity: "warning" }],
  });
  declare("hi");
  const keys = async (shell: Readonly<Record<string, string>>): Promise<unknown[]> => {
    const { steps } = await execute(rolloutPlan, own.ports(shell), { environment: "dev" }, caller);
    return steps.flatMap(({ why }) => why.map(({ key }) => key));
  };
  expect(await keys({ EDITOR: "nano" })).toEqual(["GREETING"]);
  // That the shell has the same value does not make it a copy.
  expect(await keys({ GREETING: "hi" })).toEqual(["GREETING"]);
});
