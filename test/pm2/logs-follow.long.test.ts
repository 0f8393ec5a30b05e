/** A watch of a busy log that is truncated repeatedly, under a real PM2. */
import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync, truncateSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { watchedLogs } from "../support/logs.ts";
import { runningPm2 } from "../support/running-pm2.ts";

const CLI = createRequire(import.meta.url).resolve("pm2/bin/pm2");
const TURNS = 12;
const WRITE = `
  let n = 0;
  setInterval(() => {
    for (let i = 0; i < 10; i += 1) console.log(process.env.name + " " + (n += 1));
  }, 5);`;

const { own, ports } = runningPm2();

async function busy(name: string) {
  const all = watchedLogs(ports, { grep: name });
  await all.begun();
  const out = `${own.folder}/${name}.log`;
  await own.run({ name, merge_logs: true, out_file: out, code: WRITE });
  const more = async (): Promise<void> => {
    const enough = all.lines.length + 500;
    await all.until(() => all.lines.length > enough);
  };
  return { all, out, more };
}

function numbersIn(lines: readonly string[]): number[] {
  return lines.filter((line) => /^\w+ \d+$/.test(line)).map((line) => Number(line.split(" ")[1]));
}

function inFile(path: string): number[] {
  return numbersIn(readFileSync(path, "utf8").split("\n"));
}

test("if logrotate copies and truncates a busy log, every line of the copies is returned once", async () => {
  const { all, out, more } = await busy("copied");
  const copies: string[] = [];
  for (let turn = 1; turn <= TURNS; turn += 1) {
    await more();
    copies.push(`${out}.${turn}`);
    copyFileSync(out, `${out}.${turn}`);
    // The lines between these two are lost; logrotate has the same limitation.
    truncateSync(out, 0);
  }
  await more();
  const observed = numbersIn(all.lines);
  const known = new Set(observed);
  const last = observed.at(-1) ?? 0;
  expect([...copies, out].flatMap(inFile).filter((number) => number <= last && !known.has(number))).toEqual([]);
  expect(observed).toHaveLength(known.size);
  expect(observed.length).toBeGreaterThan(TURNS * 500);
});

test("if PM2 truncates a busy log, the lines after that are returned once", async () => {
  const { all, out, more } = await busy("flushed");
  const env = { PATH: process.env["PATH"] ?? "", HOME: own.folder, PM2_HOME: own.home, PM2_DISABLE_VERSION_CHECK: "1" };
  for (let turn = 1; turn <= TURNS; turn += 1) {
    await more();
    execFileSync(process.execPath, [CLI, "flush", "flushed"], { env });
  }
  await more();
  const observed = numbersIn(all.lines);
  const known = new Set(observed);
  const last = observed.at(-1) ?? 0;
  expect(inFile(out).filter((number) => number <= last && !known.has(number))).toEqual([]);
  expect(observed).toHaveLength(known.size);
  expect(observed.length).toBeGreaterThan(TURNS * 500);
});
