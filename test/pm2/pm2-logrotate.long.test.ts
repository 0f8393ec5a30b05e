/** The real module pm2-logrotate, from npm's registry: while it runs, svcm cuts no log of PM2's list. */
import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { commandLineCaller, execute, logsRotate, logsUsage, type LogRotationResponse } from "../../src/core/index.ts";
import { quietApp } from "../support/quiet-app.ts";
import { runningPm2 } from "../support/running-pm2.ts";

const PM2 = createRequire(import.meta.url).resolve("pm2/bin/pm2");
const INSTALL_TIMEOUT_MS = 300_000;
const { own, ports } = runningPm2();
const LOG = "a line of this log\n";

function command(...args: string[]): string {
  // npm may know its registry from the environment.
  const env = { ...process.env, HOME: own.folder, PM2_HOME: own.home };
  const { stdout, stderr } = spawnSync(process.execPath, [PM2, ...args], {
    env,
    encoding: "utf8",
    timeout: INSTALL_TIMEOUT_MS,
  });
  return `${stdout}${stderr}`;
}

const rotate = async (): Promise<LogRotationResponse["logs"]> =>
  (await execute(logsRotate, ports, { dryRun: false, maxSize: "100K" }, commandLineCaller())).logs;
const toolsOf = async (path: string) =>
  (await execute(logsUsage, ports, {}, commandLineCaller())).logs
    .find((log) => log.path === path)
    ?.rotatedBy.map(({ tool }) => tool);
const rotatedBy = (mark: string): string[] => readdirSync(own.folder).filter((name) => name.includes(mark));

test("svcm leaves the logs to the running module, and takes them when it has stopped", async ({ skip }) => {
  command("install", "pm2-logrotate");
  const installed = readdirSync(own.home).includes("modules");
  if (!installed || !command("ls").includes("pm2-logrotate")) skip("npm's registry does not give pm2-logrotate");
  for (const [key, value] of Object.entries({ max_size: "100K", workerInterval: "1", retain: "2" }))
    command("set", `pm2-logrotate:${key}`, value);
  const path = await quietApp(own, "api", LOG.repeat(5000));
  expect(statSync(path).size).toBeLessThan(100 * 1024);
  expect(await toolsOf(path)).toEqual(["pm2-logrotate"]);
  await quietApp(own, "api-2", LOG.repeat(20_000));
  const refused = (await rotate()).filter((log) => log.path.startsWith(own.folder));
  for (const log of refused.filter(({ reason }) => reason !== null))
    expect(log.reason).toMatchObject({
      code: "LOG_ROTATED_ELSEWHERE",
      details: expect.stringContaining("module_conf"),
    });
  expect(refused.map(({ outcome }) => outcome)).not.toContain("rotated");
  // The module does rotate: it names its files by the time.
  await expect.poll(() => rotatedBy("api-2-out__"), { timeout: 60_000 }).toHaveLength(1);
  expect(rotatedBy("out.log.")).toEqual([]);

  command("stop", "pm2-logrotate");
  const alone = await quietApp(own, "api-3", LOG.repeat(20_000));
  expect(await toolsOf(alone)).toEqual([]);
  expect((await rotate()).find((log) => log.path === alone)).toMatchObject({ outcome: "rotated" });
  expect(rotatedBy("api-3-out.log.")).not.toEqual([]);
  expect(rotatedBy("api-3-out__")).toEqual([]);
});
