/** Two PM2s of one machine, as after `sudo pm2 start`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { execute, rolloutPlan } from "../../src/core/index.ts";
import { IDLE, pm2 } from "../support/pm2-daemon.ts";

const caller = { source: "cli", grants: ["read"] } as const;
const own = pm2();
afterAll(() => own.end());

test("a plan warns of a start that would run a script of another PM2 twice", async () => {
  await own.startDaemon();
  writeFileSync(join(own.folder, "web.cjs"), IDLE);
  writeFileSync(join(own.folder, "other.cjs"), IDLE);
  const cluster = { exec_mode: "cluster", instances: 2 };
  own.pm2Folder([
    { name: "web", script: "./web.cjs", ...cluster },
    { name: "job", script: "./web.cjs" },
    { name: "other", script: "./other.cjs" },
  ]);
  for (const name of ["web", "job"]) await own.startDeclared(name);
  const second = join(own.folder, "second");
  mkdirSync(second);
  const plan = await execute(rolloutPlan, own.ports({ PM2_HOME: second }), { environment: "dev" }, caller);
  const found = plan.issues.filter(({ code }) => code === "APP_RUNS_ELSEWHERE");
  expect(found.map(({ path, severity }) => [path[1], severity])).toEqual([
    ["web", "warning"],
    ["job", "warning"],
  ]);
  expect(found[0]?.message).toContain(`PM2_HOME ${own.home} already runs ${join(own.folder, "web.cjs")}`);
  const again = await execute(rolloutPlan, own.ports(), { environment: "dev" }, caller);
  expect(again.issues.map(({ code }) => code)).not.toContain("APP_RUNS_ELSEWHERE");
});
