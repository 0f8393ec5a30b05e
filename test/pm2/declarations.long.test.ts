/** A file that the check calls valid is applied once, and equals what PM2 starts from the same file. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { ecosystemCheck, ecosystemDrift, execute, rolloutApply, rolloutPlan } from "../../src/core/index.ts";
import { plainEnvironment } from "../support/command-line.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { longTest, sampleOrAll } from "../support/runs.ts";
import { fixturePath, loadFixture, writeFiles } from "./declarations.ts";

const PM2 = createRequire(import.meta.url).resolve("pm2/bin/pm2");
const run = promisify(execFile);
const caller = { source: "cli", grants: ["read", "write"] } as const;
const { own, ports } = runningPm2();
beforeAll(() => writeFiles(own.folder));

/** Few, because each costs a process twice. */
const SAMPLE = [
  "a port without variables",
  "increment_var in fork mode",
  "a time",
  "chance and the process",
  "null and objects",
  "a date",
  "PATH",
];
const BATCH = 20;
const names = Object.keys(loadFixture("accepted"));
const batches = Array.from({ length: Math.ceil(names.length / BATCH) }, (_, index) =>
  names.slice(index * BATCH, (index + 1) * BATCH),
);

function declare(batch: readonly string[]): void {
  const text = `const cases = require(${JSON.stringify(fixturePath("accepted"))});
const apps = ${JSON.stringify(batch)}.map((what, index) => ({ name: "app-" + index, script: "app.cjs", pmx: false, ...cases[what] }));
module.exports = { apps };`;
  writeFileSync(join(own.folder, "ecosystem.config.cjs"), text);
}

longTest.each(sampleOrAll(batches, [SAMPLE]))(
  "valid apps are applied once, and are as PM2 starts them: %s",
  async (...batch) => {
    declare(batch);
    const { issues } = await execute(ecosystemCheck, ports, {}, caller);
    expect(issues.filter(({ severity }) => severity === "error")).toEqual([]);
    await execute(rolloutApply, ports, {}, caller);
    expect((await execute(rolloutPlan, ports, {}, caller)).steps).toEqual([]);
    for (const record of await ports.processes.list()) await ports.processes.remove(record);
    const env = plainEnvironment({ HOME: own.folder, PM2_HOME: own.home });
    await run(process.execPath, [PM2, "start", "ecosystem.config.cjs"], { cwd: own.folder, env });
    expect((await execute(ecosystemDrift, ports, {}, caller)).drift).toEqual([]);
    for (const record of await ports.processes.list()) await ports.processes.remove(record);
  },
  600_000,
);

test("after an instance is gone, an apply gives each its number back, and the next plan is empty", async () => {
  declare(["increment_var in fork mode"]);
  const numbers = async () =>
    (await ports.processes.list()).toSorted((a, b) => a.pmId - b.pmId).map(({ port }) => port);
  await execute(rolloutApply, ports, {}, caller);
  expect(await numbers()).toEqual([3110, 3111, 3112]);
  const [first] = (await ports.processes.list()).toSorted((a, b) => a.pmId - b.pmId);
  await ports.processes.remove(first!);
  await execute(rolloutApply, ports, {}, caller);
  expect(await numbers()).toEqual([3110, 3111, 3112]);
  expect((await execute(rolloutPlan, ports, {}, caller)).steps).toEqual([]);
});
