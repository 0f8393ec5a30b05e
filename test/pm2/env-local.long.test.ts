/** Next.js and others read `.env.local` in production, too, whatever `svcm.yaml` says. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandLineCaller, execute, nodePorts, rolloutApply, rolloutPlan } from "../../src/core/index.ts";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";

const caller = commandLineCaller();
const { own } = runningPm2();

test("an .env.local that only another environment names is a doubt once it changes, and a step if it is named", async () => {
  const write = (name: string, text: string): void => writeFileSync(join(own.folder, name), text);
  const declare = (production: string): void =>
    write(
      "svcm.yaml",
      `version: 1
environments: { dev: [], production: [] }
ecosystem: { production: ecosystem.config.cjs }
env: { dev: [.env, .env.local], production: ${production} }
rollout: { minHealthyTime: 100ms }
`,
    );
  write("server.js", `process.loadEnvFile(".env.local"); ${IDLE}`);
  write("ecosystem.config.cjs", `module.exports = { apps: [{ name: "web", script: "server.js" }] };`);
  write(".env", "COLOR=red\n");
  write(".env.local", "COLOR=red\n");
  declare(".env.production");
  const env = { PM2_HOME: own.home, PATH: process.env["PATH"] ?? "" };
  const ports = nodePorts({ root: own.folder, env, cwd: own.folder });
  const plan = async (): Promise<unknown> => {
    const { steps, unknown } = await execute(rolloutPlan, ports, { environment: "production" }, caller);
    return [steps.map(({ why }) => why.map(({ details }) => details)), unknown.map(({ reason }) => reason)];
  };
  await execute(rolloutApply, ports, { environment: "production" }, caller);
  expect(await plan()).toEqual([[], []]);
  write(".env.local", "COLOR=blue\n");
  expect(await plan()).toEqual([
    [],
    [".env.local was changed or touched after the start, and this environment does not name it"],
  ]);
  declare("[.env, .env.local]");
  expect(await plan()).toEqual([[["COLOR changed in .env.local"], []], []]);
});
