/** Two PM2s of one machine, as after `sudo pm2 start`. */
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { execute, rolloutPlan } from "../../src/core/index.ts";
import { isRoot } from "../support/machine.ts";
import { IDLE, pm2 } from "../support/pm2-daemon.ts";
import { longTest } from "../support/runs.ts";

const caller = { source: "cli", grants: ["read"] } as const;
const own = pm2();
afterAll(() => own.end());

longTest("a plan warns of a start that would run a script of another PM2 twice", async () => {
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

/** A process with the title of a daemon, and a child with the script in its command line. */
function startLookalike(command: readonly string[], script: string): Promise<void> {
  const child = `require("node:child_process").spawn("tail", ["-f", "/dev/null", ${JSON.stringify(script)}])`;
  const code = `process.title = "PM2 v7.0.4: God Daemon (/root/.pm2)"; ${child}.once("spawn", () => console.log("up"));`;
  const [program, ...args] = [...command, process.execPath, "-e", code, "room for the title".repeat(8)];
  const daemon = spawn(program, args, { stdio: ["ignore", "pipe", "ignore"], detached: true });
  onTestFinished(() => void process.kill(-(daemon.pid ?? 0), "SIGKILL"));
  return new Promise((resolve) => daemon.stdout.once("data", () => resolve()));
}

test.skipIf(!isRoot)("a daemon of a container runs another file of that path (needs root)", async () => {
  const script = join(own.folder, "web.cjs");
  writeFileSync(script, IDLE);
  const found = (): readonly object[] =>
    own
      .ports()
      .processes.runsElsewhere([script])
      .filter(({ home }) => home === "/root/.pm2");
  await startLookalike(["unshare", "--pid", "--fork", "--kill-child"], script);
  expect(found()).toEqual([]);
  await startLookalike([], script);
  expect(found()).toEqual([expect.objectContaining({ script })]);
});
