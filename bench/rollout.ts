/**
 * Elapsed times of a plan and an apply without changes, compared with `pm2 jlist` of the same PM2 with three processes.
 *
 * node --import tsx bench/rollout.ts [rounds]
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { IDLE, pm2, type Pm2 } from "../test/support/pm2-daemon.ts";
import { median } from "./median.ts";

const ROOT = join(import.meta.dirname, "..");
const [rounds = 11] = process.argv.slice(2).map(Number);
const SVCM = join(ROOT, "bin/run.js");

const commands: Readonly<Record<string, readonly string[]>> = {
  "pm2 jlist": [join(ROOT, "node_modules/pm2/bin/pm2"), "jlist"],
  "svcm plan": [SVCM, "plan", "--environment", "dev"],
  "svcm apply": [SVCM, "apply", "--environment", "dev", "--yes"],
};

const own = pm2();
try {
  await own.startDaemon();
  writeFileSync(join(own.folder, "app.cjs"), IDLE);
  own.pm2Folder(["api", "web", "worker"].map((name) => ({ name, script: "./app.cjs" })));
  run(own, commands["svcm apply"] ?? []);
  const times = new Map(Object.keys(commands).map((name) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round += 1)
    for (const [name, argv] of Object.entries(commands)) times.get(name)?.push(run(own, argv));
  const base = median(times.get("pm2 jlist") ?? []);
  for (const [name, all] of times) {
    const ms = median(all);
    console.log(`${name}: ${ms.toFixed(0)} ms, ${(ms / base).toFixed(2)} of pm2 jlist`);
  }
} finally {
  await own.end();
}

/** Elapsed milliseconds. */
function run({ folder, home }: Pm2, argv: readonly string[]): number {
  const before = performance.now();
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, PM2_HOME: home };
  const { status, stderr } = spawnSync(process.execPath, argv, { cwd: folder, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${argv.join(" ")} ended with ${status}: ${stderr}`);
  return performance.now() - before;
}
