/**
 * The CPU time of a second of `svcm metrics watch`, `pm2 monit` and, if installed, `glances`, each at its own pace over
 * the same PM2, with all children and PM2's daemon. The program `script` provides a real terminal.
 *
 * node --import tsx bench/watch.ts [seconds a run] [processes...]
 */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { pm2, type Pm2 } from "../test/support/pm2-daemon.ts";
import { cpuMs } from "./cpu.ts";
import { startApps } from "./start-apps.ts";

const ROOT = join(import.meta.dirname, "..");
const [seconds = 10, ...counts] = process.argv.slice(2).map(Number);
const RUN_MS = seconds * 1000;
const WARM_UP_MS = 4000;

const hasGlances = spawnSync("sh", ["-c", "command -v glances"]).status === 0;
const node = process.execPath;
const watchers: Readonly<Record<string, (own: Pm2) => string>> = {
  "svcm metrics watch": ({ folder }) => `${node} ${join(ROOT, "bin/run.js")} metrics watch --root ${folder}`,
  "pm2 monit": () => `${node} ${join(ROOT, "node_modules/pm2/bin/pm2")} monit`,
  ...(hasGlances && { "glances -t 1": () => "glances -t 1 --disable-check-update" }),
};

for (const count of counts.length > 0 ? counts : [20]) await compare(count);

async function compare(count: number): Promise<void> {
  const own = pm2();
  try {
    const daemon = await own.startDaemon();
    await startApps(own, count);
    const costs = new Map<string, number>();
    for (const [name, command] of Object.entries(watchers)) {
      costs.set(name, await costOf(command(own), own, daemon.pid));
    }
    const ours = costs.get("svcm metrics watch") ?? NaN;
    for (const [name, cost] of costs) {
      const ratio = name === "svcm metrics watch" ? "" : `, svcm is ${(ours / cost).toFixed(2)} of it`;
      console.log(`${count} processes: ${name} ${cost.toFixed(1)} ms CPU a second${ratio}`);
    }
  } finally {
    await own.end();
  }
}

/** CPU milliseconds per second, after it has been drawing for a while. */
async function costOf(command: string, own: Pm2, daemon: number): Promise<number> {
  const sized = `stty cols 120 rows 40; exec ${command}`;
  const terminal = spawn("script", ["--quiet", "--flush", "--return", "--command", sized, "/dev/null"], {
    env: { PATH: process.env["PATH"], HOME: own.folder, PM2_HOME: own.home, TERM: "xterm-256color", SHELL: "/bin/sh" },
    stdio: ["pipe", "ignore", "inherit"],
  });
  await after(WARM_UP_MS);
  const before = cpuMs(...treeOf(terminal), daemon);
  await after(RUN_MS);
  const spent = cpuMs(...treeOf(terminal), daemon) - before;
  for (const pid of treeOf(terminal)) process.kill(pid, "SIGTERM");
  await once(terminal, "exit");
  return spent / seconds;
}

function treeOf(terminal: ChildProcess): number[] {
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(name)] as const);
  const childrenOf = (pid: number): number[] =>
    parents.filter(([, parent]) => parent === pid).flatMap(([child]) => [child, ...childrenOf(child)]);
  return childrenOf(terminal.pid ?? 0);
}

function parentOf(pid: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return 0; // it has ended in the meantime
  }
}
