import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { beforeAll, expect, test } from "vitest";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { svcm as run, type RunResult } from "../support/svcm.ts";
import { firstOrAll, longTest } from "../support/runs.ts";

const CLI = createRequire(import.meta.url).resolve("pm2/lib/binaries/CLI.js");
const { own } = runningPm2();

beforeAll(async () => {
  await own.run({ name: "api", code: IDLE });
});

const svcm = (...args: string[]): Promise<RunResult> => run(args, { root: own.folder, env: { PM2_HOME: own.home } });

test.each(firstOrAll(["list", "ps", "l", "process list"]))("svcm %s is svcm ls", async (name) => {
  const [short, long] = [await svcm(...name.split(" "), "--output", "name"), await svcm("ls", "--output", "name")];
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

longTest("the words of pm2 run our command or name it, and none of them is only unknown", async () => {
  const words = readFileSync(CLI, "utf8").matchAll(/\.(?:command|alias)\(['"]([\w-]+)/g);
  const unanswered: string[] = [];
  for (const word of new Set(Array.from(words, ([, spelling = ""]) => spelling))) {
    const { code, stdout, stderr } = await svcm(word, "--help");
    if (code === 0 ? !stdout.includes("USAGE") : !/^Hint: (?!svcm help)/m.test(stderr)) unanswered.push(word);
  }
  expect(unanswered).toEqual([]);
});

test("Tab completes after a short name in the same way as after the command", async () => {
  const complete = async (line: string) => (await svcm("__complete", "bash", "=:", line)).stdout;
  expect(await complete("svcm restart ")).toContain("api");
  expect((await complete("svcm ")).split("\n")).not.toContain("process");
  expect((await complete("svcm ")).split("\n")).toEqual(
    expect.arrayContaining(["status", "check", "restart", "monit"]),
  );
});
