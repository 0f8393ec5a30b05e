import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect } from "vitest";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { svcm, type RunResult } from "../support/svcm.ts";
import { longTest } from "../support/runs.ts";

const { own } = runningPm2();
const api = { name: "api", script: "./app.cjs", env: { MODE: "1" } };

beforeAll(async () => {
  writeFileSync(join(own.folder, "app.cjs"), IDLE);
  utimesSync(join(own.folder, "app.cjs"), 1e9, 1e9);
});

const run = (...args: string[]): Promise<RunResult> => svcm(args, { root: own.folder, env: { PM2_HOME: own.home } });

longTest("an apply, the list of releases and a rollback print what they did", async () => {
  own.pm2Folder([api]);
  const first = await run("apply", "--yes", "--message", "first");
  expect(first.code).toBe(0);
  expect(first.stderr.split("\n")).toEqual([
    "[1/2] start api: begun",
    "[1/2] start api: done",
    "[2/2] save: begun",
    "[2/2] save: done",
    "",
  ]);
  expect(first.stdout).toMatch(
    /^Release \d{8}-\d{6}-[0-9a-f]{4}: applied\.\n {2}start api \(id 0\): done in \d+\.\d s\n {2}save: done in \d+\.\d s\n$/,
  );
  expect((await run("apply", "--yes")).stdout).toBe("Nothing to do.\n");
  const show = await run("releases", "show", /^Release (\S+):/.exec(first.stdout)![1]!);
  expect(show.stdout).toBe(first.stdout);
  expect((await run("releases", "list")).stdout).toMatch(/applied .* first/);
  expect((await run("rollback", "--yes", "--json")).code).toBe(0);
  const after = JSON.parse((await run("process", "list", "--json")).stdout) as { processes: unknown[] };
  expect(after.processes).toEqual([]);
});

longTest("without a terminal, --yes or --plan is needed, and another plan is refused", async () => {
  own.pm2Folder([api]);
  expect(await run("apply")).toMatchObject({ code: 2, stderr: expect.stringContaining("Accepted: --plan or --yes") });
  expect(await run("rollback")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Accepted: --plan or --yes"),
  });
  const stale = await run("apply", "--plan", "0000-0000", "--json");
  expect([stale.code, JSON.parse(stale.stdout)]).toMatchObject([1, { code: "PLAN_STALE" }]);
});
