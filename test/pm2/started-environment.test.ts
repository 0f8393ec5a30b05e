/** The environment with whose values PM2 itself started an app. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { execute, processAct, rolloutApply, rolloutPlan, SvcmError } from "../../src/core/index.ts";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { longTest } from "../support/runs.ts";

const PM2 = createRequire(import.meta.url).resolve("pm2/bin/pm2");
const caller = { source: "cli", grants: ["read", "write", "logs"] } as const;
const { own, ports } = runningPm2();

const moved =
  "web may move from staging to production: it runs with the values that staging declares, and PM2 does not record";
const web = {
  name: "web",
  script: "./app.cjs",
  env: { MODE: "local" },
  env_staging: { MODE: "staging", PORT: "3001" },
  env_production: { MODE: "production", PORT: "3000" },
};
const worker = { name: "worker", script: "./app.cjs", env_production: { QUEUE: "orders" } };

const SVCM_YAML = `version: 1
environments: { dev: [], staging: [], production: [] }
ecosystem:
  dev: e.config.cjs
  staging: { file: e.config.cjs, env: staging }
  production: { file: e.config.cjs, env: production }
rollout: { minHealthyTime: 100ms }
`;

function declare(more: object = {}): void {
  const apps = [{ ...web, ...more }, worker];
  writeFileSync(join(own.folder, "e.config.cjs"), `module.exports = ${JSON.stringify({ apps })};`);
}

async function runPm2(...args: string[]): Promise<void> {
  const env = { PATH: process.env["PATH"], HOME: own.folder, PM2_HOME: own.home };
  await promisify(execFile)(process.execPath, [PM2, ...args], { cwd: own.folder, env });
}

beforeAll(() => {
  writeFileSync(join(own.folder, "svcm.yaml"), SVCM_YAML);
  writeFileSync(join(own.folder, "app.cjs"), IDLE);
});

const plan = async (environment: string) => {
  const { issues, steps } = await execute(rolloutPlan, ports, { environment }, caller);
  return { errors: issues.filter(({ severity }) => severity === "error").map(({ message }) => message), steps };
};
const refusal = (done: Promise<unknown>): Promise<unknown> =>
  done.then(
    () => "done",
    (error: unknown) => (error instanceof SvcmError ? error.body.code : error),
  );

test("an app that PM2 started for another environment moves only on request", { timeout: 120_000 }, async () => {
  declare();
  await runPm2("start", "e.config.cjs", "--env", "staging");
  expect(await plan("staging")).toEqual({ errors: [], steps: [] });
  expect((await plan("production")).errors).toEqual([expect.stringContaining(moved)]);
  expect((await plan("dev")).errors).toEqual([expect.stringContaining("web may move from staging to dev")]);
  expect(await refusal(execute(rolloutApply, ports, { environment: "production" }, caller))).toBe("ENVIRONMENT_SWITCH");
  const restart = { action: "restart", scope: "ecosystem", name: "web", environment: "production" } as const;
  expect(await refusal(execute(processAct, ports, restart, caller))).toBe("ENVIRONMENT_SWITCH");

  // A new value does not make another environment.
  declare({ env_staging: { ...web.env_staging, MODE: "trial" } });
  expect((await plan("staging")).errors).toEqual([]);
  declare({ env_staging: { ...web.env_staging, COLOUR: "blue" } });
  expect((await plan("staging")).errors).toEqual([]);
  declare();

  const switched = { environment: "production", switchEnvironment: true };
  expect(await execute(rolloutApply, ports, switched, caller)).toMatchObject({ release: { outcome: "applied" } });
  expect(await plan("production")).toEqual({ errors: [], steps: [] });
});

longTest("PM2 starts an app for another environment than the one that was applied last", async () => {
  declare();
  await runPm2("start", "e.config.cjs", "--env", "staging");
  const switched = { environment: "production", switchEnvironment: true };
  expect(await execute(rolloutApply, ports, switched, caller)).toMatchObject({ release: { outcome: "applied" } });
  for (const record of await ports.processes.list()) if (record.name === "web") await ports.processes.remove(record);
  await runPm2("start", "e.config.cjs", "--only", "web", "--env", "staging");
  expect((await plan("production")).errors).toEqual([expect.stringContaining(moved)]);
});
