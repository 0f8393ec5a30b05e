/**
 * CPU time of `svcm events` and `svcm why` over 31 MB of `pm2.log`, beside a program that only counts the ends in the
 * file with one pattern. The goal for the median of svcm is half a second.
 *
 * node --import tsx bench/events.ts [rounds]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childCpuMs } from "./child-cpu.ts";
import { median } from "./median.ts";

const SVCM = join(import.meta.dirname, "../bin/run.js");
const LOG_BYTES = 31e6;
const LINES = 448_000;
const GOAL_MS = 500;
const DAY_MS = 86_400_000;
const [rounds = 5] = process.argv.slice(2).map(Number);
const COUNT = `
  const text = require("node:fs").readFileSync(process.argv[1], "utf8");
  let ends = 0;
  for (const line of text.split("\\n")) if (/^\\S+ PM2 log: App \\[.+:\\d+\\] exited with code/.test(line)) ends += 1;
  if (ends === 0) process.exit(1);`;

const folder = mkdtempSync(join(tmpdir(), "svcm-bench-events-"));
const log = join(folder, "pm2/pm2.log");
try {
  mkdirSync(join(folder, "pm2"));
  for (const [name, days] of [
    ["31 MB of a month", 30],
    ["31 MB of a day", 1],
  ] as const) {
    writeFileSync(log, logOf(days));
    compare(name, {
      "count the ends": ["-e", COUNT, log],
      "svcm events": [SVCM, "events"],
      "svcm events --since 30d": [SVCM, "events", "--since", "30d"],
      "svcm why service-3": [SVCM, "why", "service-3"],
      "svcm events --cause oom-kill --since 30d": [SVCM, "events", "--cause", "oom-kill", "--since", "30d"],
      "svcm events --cause svcm --since 30d": [SVCM, "events", "--cause", "svcm", "--since", "30d"],
      "svcm events nothing (refused)": [SVCM, "events", "nothing", "--since", "30d"],
    });
  }
} finally {
  rmSync(folder, { recursive: true });
}

function compare(title: string, commands: Readonly<Record<string, readonly string[]>>): void {
  const spent = new Map(Object.keys(commands).map((name) => [name, [] as number[]]));
  const env = { PATH: process.env["PATH"], HOME: folder, PM2_HOME: join(folder, "pm2") };
  for (let round = 0; round < rounds; round += 1)
    for (const [name, argv] of Object.entries(commands))
      spent.get(name)?.push(childCpuMs(argv, { cwd: folder, env, codes: name.endsWith("(refused)") ? [3] : [0] }));
  const base = median(spent.get("count the ends") ?? []);
  for (const [name, all] of spent) {
    const ms = median(all);
    const verdict = name.startsWith("svcm")
      ? `, ${(ms / base).toFixed(2)} of it, ${ms <= GOAL_MS ? "met" : "missed"}`
      : "";
    console.log(`${title}: ${name} ${ms.toFixed(0)} ms${verdict}`);
  }
}

function logOf(days: number): string {
  const lines: string[] = [];
  const stepMs = (days * DAY_MS) / LINES;
  const beganMs = Date.now() - days * DAY_MS;
  let bytes = 0;
  for (let turn = 0; bytes < LOG_BYTES; turn += 1) {
    const id = turn % 20;
    const app = `App [service-${id}:${id}]`;
    const start = [`${app} starting in -fork mode-`, `${app} online`];
    const crash = [`${app} exited with code [1] via signal [SIGINT]`, ...start];
    const order = [`Stopping app:service-${id} id:${id}`, `${app} exited with code [0] via signal [SIGINT]`, ...start];
    const head = `${stamp(beganMs + lines.length * stepMs)}: PM2 log: `;
    for (const text of turn % 3 === 0 ? crash : [...order, `pid=${10_000 + turn} msg=process killed`]) {
      lines.push(`${head}${text}\n`);
      bytes += head.length + text.length + 1;
    }
  }
  return lines.join("");
}

/** PM2 writes the local time of the machine. */
function stamp(ms: number): string {
  const at = new Date(ms);
  return new Date(ms - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
