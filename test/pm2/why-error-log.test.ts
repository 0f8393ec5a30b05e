/** The error log that `svcm why` reads for the cause of an end. */
import { appendFileSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventWhy, execute, type Caller } from "../../src/core/index.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { svcm } from "../support/svcm.ts";
import { longTest } from "../support/runs.ts";

const { own, ports } = runningPm2();
const caller: Caller = { source: "cli", grants: ["read", "logs"] };
const why = (name: string) => execute(eventWhy, ports, { name }, caller);
const command = (...args: string[]) => svcm(args, { root: own.folder, env: { PM2_HOME: own.home } });

/** @returns its error log, in which the next run goes on */
async function ended(name: string, code: string): Promise<string> {
  const path = join(own.folder, `${name}-error.log`);
  await own.run({ name, code, autorestart: false, merge_logs: true, error_file: path });
  await expect.poll(async () => (await why(name)).event?.kind).toBe("exit");
  return path;
}

function writeLater(path: string, text: string): void {
  appendFileSync(path, text);
  const later = Date.now() / 1000 + 60;
  utimesSync(path, later, later);
}

test("an error that a later run wrote is not the reason of the end", async () => {
  const thrown = await ended("thrown", `throw new Error("cannot reach db")`);
  // Node.js writes its last line after the error.
  await expect.poll(() => readFileSync(thrown, "utf8")).toContain("Node.js v");
  writeLater(thrown, "Error: soft\n");
  expect(await why("thrown")).toMatchObject({ reason: "Error: cannot reach db", errorLines: ["Error: soft"] });

  const silent = await ended("silent", `process.exit(3)`);
  writeLater(silent, "Error: soft\n");
  expect(await why("silent")).toMatchObject({ reason: null, errorLines: ["Error: soft"] });

  const timed = (atMs: number, msg: string): string => `${JSON.stringify({ level: 50, time: atMs, msg })}\n`;
  const logged = await ended("logged", `process.exit(3)`);
  writeLater(logged, timed(Date.now() - 1000, "no route") + timed(Date.now() + 60_000, "soft"));
  expect((await why("logged")).reason).toContain("no route");
});

test("an error in the output is named, and one in a log of both streams", async () => {
  const line = (level: number, msg: string): string =>
    `console.log(JSON.stringify({ level: ${level}, time: Date.now(), msg: "${msg}" }));`;
  const code = `${line(60, "no broker")} ${line(30, "bye")} setTimeout(() => process.exit(3), 300);`;
  const out = join(own.folder, "pino-out.log");
  await own.run({ name: "pino", code, autorestart: false, merge_logs: true, out_file: out });
  await expect.poll(async () => (await why("pino")).event?.kind).toBe("exit");
  await expect.poll(() => readFileSync(out, "utf8")).toContain("no broker");
  expect(await why("pino")).toMatchObject({ reason: null, now: ["The last error in its output log: no broker"] });

  const both = join(own.folder, "both.log");
  const thrown = `console.log("ready"); setTimeout(() => { throw new Error("both ways"); }, 300);`;
  await own.run({ name: "both", code: thrown, autorestart: false, merge_logs: true, out_file: both, error_file: both });
  await expect.poll(async () => (await why("both")).event?.kind).toBe("exit");
  await expect.poll(() => readFileSync(both, "utf8")).toContain("both ways");
  expect(await why("both")).toMatchObject({ reason: "Error: both ways", errorLines: [], now: [] });
});

longTest("while nothing says what is secret, why and logs say so instead of showing none", async () => {
  await ended("closed", `throw new Error("boom")`);
  const file = join(own.folder, "svcm.yaml");
  writeFileSync(file, "version: 1\nenvironmnts: {}\n");
  const says = "No log is shown, because svcm does not know which values in it are secret";
  const [shown, logs, json] = [await command("why", "closed"), await command("logs"), await command("logs", "--json")];
  const [page, metrics] = [await command("show", "closed"), await command("metrics", "show", "-e", "production")];
  rmSync(file);
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining(`${says}: svcm.yaml:1:1: `)]);
  expect([page.code, page.stdout]).toEqual([
    0,
    expect.stringContaining("It is not compared with its declaration: svcm.yaml:1:1: "),
  ]);
  expect(page.stdout.split(says)).toHaveLength(2);
  expect([metrics.code, metrics.stdout]).toEqual([0, expect.stringMatching(/^closed +\d+ (?:.*\n)+svcm\.yaml:1:1: /m)]);
  expect([logs.code, logs.stderr]).toEqual([3, expect.stringContaining(`Hint: ${says}. `)]);
  expect([json.code, JSON.parse(json.stdout)]).toMatchObject([
    3,
    { code: "FACT_INVALID", details: expect.stringContaining(`${says}: svcm.yaml:1:1: `) as string },
  ]);
});
