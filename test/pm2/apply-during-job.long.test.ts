/** A job runs while an apply begins, and ends before the apply does. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { execute, processRun, rolloutApply, rolloutPlan, type Caller } from "../../src/core/index.ts";
import { svcm } from "../support/svcm.ts";
import { runningPm2 } from "../support/running-pm2.ts";

const { own, ports } = runningPm2();
const caller: Caller = { source: "cli", actor: "tester", grants: ["read", "logs", "act", "write"] };
const input = { environment: "dev", minHealthyMs: 300, allowDirty: true };
const [go, runs] = [join(own.folder, "go"), join(own.folder, "runs")];

const IDLE = "setInterval(() => {}, 1000);";
const WEB = `if (process.env.V === "2") require("node:fs").writeFileSync(${JSON.stringify(go)}, "");${IDLE}`;
const JOB = `const { existsSync, writeFileSync } = require("node:fs");
writeFileSync(${JSON.stringify(runs)}, "");
setInterval(() => { if (existsSync(${JSON.stringify(go)})) process.exit(0); }, 20);`;

test("the apply is done, and says that the job keeps its definition until an apply after its run", async () => {
  writeFileSync(join(own.folder, "web.cjs"), WEB);
  writeFileSync(join(own.folder, "job.cjs"), JOB);
  const declare = (version: string): void =>
    own.pm2Folder([
      { name: "web", script: "./web.cjs", env: { V: version } },
      { name: "nightly", script: "./job.cjs", autorestart: false, cron_restart: "0 3 1 1 *", env: { V: version } },
    ]);
  declare("1");
  await execute(rolloutApply, ports, input, caller);
  const run = execute(processRun, ports, { name: "nightly" }, caller);
  await expect.poll(() => existsSync(runs), { timeout: 20_000 }).toBe(true);
  declare("2");
  const args = ["apply", "--environment", "dev", "--min-healthy", "1s", "--allow-dirty", "--yes"];
  const { code, stdout } = await svcm(args, { root: own.folder, env: { PM2_HOME: own.home, CI: "1" } });
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/: applied\.\n[^]*\n! nightly \(id \d+\) runs now .* until an apply after its run/),
  ]);
  expect(await run).toMatchObject({ outcome: "succeeded" });
  const { steps } = await execute(rolloutPlan, ports, { environment: "dev" }, caller);
  expect(steps.map((step) => `${step.do} ${step.app}`)).toEqual(["register nightly", "save "]);
});
