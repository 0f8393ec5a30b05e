import { beforeAll, expect, test } from "vitest";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { svcm as run, type RunResult } from "../support/svcm.ts";
import { longTest } from "../support/runs.ts";

const { own } = runningPm2();

beforeAll(async () => {
  await own.run({ name: "api", code: IDLE });
});

const svcm = (...args: string[]): Promise<RunResult> => run(args, { root: own.folder, env: { PM2_HOME: own.home } });

test.each(["ls", "list", "ps", "status"])("svcm %s is svcm process list", async (name) => {
  const [short, long] = [await svcm(name, "--output", "name"), await svcm("process", "list", "--output", "name")];
  expect(short).toEqual({ code: 0, stdout: "api\n", stderr: "" });
  expect(short).toEqual(long);
});

longTest("svcm stop, start and restart act on a process, and their help is the help of the command", async () => {
  expect((await svcm("stop", "api", "--yes")).stdout).toMatch(/^Stopped api \(id 0\)\.$/m);
  expect((await svcm("start", "api")).stdout).toMatch(/^Started api \(id 0, pid \d+\)\.$/m);
  expect((await svcm("restart", "api")).stdout).toMatch(/^Restarted api \(id 0, pid \d+\)\.$/m);
  expect((await svcm("restart", "--help")).stdout).toContain("Restart PM2 processes.");
});

longTest("svcm monit is svcm metrics watch", async () => {
  const { code, stdout } = await svcm("monit", "--once", "--json");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ processes: [{ name: "api" }] });
});

test("svcm logs accepts the number of lines as pm2 logs does", async () => {
  expect(await svcm("logs", "api", "--lines", "5")).toMatchObject({ code: 0 });
  expect((await svcm("logs", "api", "--lines", "0")).code).toBe(0);
  expect((await svcm("logs", "api", "--lines", "-1")).code).toBe(2);
});

test("Tab completes after a short name in the same way as after the command", async () => {
  const complete = async (line: string) => (await svcm("__complete", "bash", "=:", line)).stdout;
  expect(await complete("svcm restart ")).toContain("api");
  expect(await complete("svcm restart ")).toBe(await complete("svcm process restart "));
});
