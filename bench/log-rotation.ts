/**
 * A log that grows by 10,000 lines a second is rotated by svcm and by logrotate with copytruncate, alternately in the same
 * run. CPU time and lost lines count; svcm does not compress here, because logrotate does not.
 *
 * node --import tsx bench/log-rotation.ts [rotations of each]
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { nodeLogCare } from "../src/core/logs/care/log-care.node.ts";
import { childrenCpuMs } from "./child-cpu.ts";

const [rotations = 100] = process.argv.slice(2).map(Number);
const MAX_BYTES = 512 * 1024;
const WRITER = `
  let n = 0;
  const timer = setInterval(() => { for (let at = 0; at < 100; at += 1) console.log("line " + (n += 1) + " " + "x".repeat(80)); }, 10);
  process.on("SIGTERM", () => { clearInterval(timer); console.log("end " + n); });`;

interface Result {
  readonly cpuMs: number;
  readonly lost: number;
  readonly doubled: number;
  readonly lines: number;
}

async function measure(rotate: (path: string, folder: string) => Promise<void>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "svcm-bench-rotation-"));
  const path = join(folder, "api-out.log");
  const child = spawn("sh", ["-c", `exec "${process.execPath}" -e '${WRITER}' >> "${path}"`], { stdio: "ignore" });
  try {
    let cpuMs = 0;
    for (let done = 0; done < rotations; done += 1) {
      while (sizeOf(path) < MAX_BYTES) await after(5);
      const before = childrenCpuMs() + ownCpuMs();
      await rotate(path, folder);
      cpuMs += childrenCpuMs() + ownCpuMs() - before;
    }
    await end(child);
    return { cpuMs, ...count(folder) };
  } finally {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

function count(folder: string): Omit<Result, "cpuMs"> {
  const names = readdirSync(folder).filter((name) => name.startsWith("api-out.log"));
  const lines = names.flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"));
  const written = Number(/^end (\d+)$/m.exec(lines.filter((line) => line.startsWith("end ")).join("\n"))?.[1]);
  const whole = lines.filter((line) => /^line \d+ x{80}$/.test(line));
  const distinct = new Set(whole).size;
  return { lines: written, lost: written - distinct, doubled: whole.length - distinct };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function bySvcm(path: string, folder: string): Promise<void> {
  mkdirSync(join(folder, "home"), { recursive: true });
  const care = nodeLogCare({ pm2Home: join(folder, "home"), folders: [folder], nowMs: Date.now });
  const { dev, ino, size: bytes, mtimeMs: modifiedMs } = statSync(path);
  const facts = { app: "api", stream: "out", rotated: [], writers: [], watchedBy: [], earlier: null } as const;
  const log = { path, dev, ino, bytes, modifiedMs, ...facts, problem: null, isUnfinished: false };
  await care.rotate(log, { way: "collapse", maxBytes: MAX_BYTES, keep: 10_000, compress: false });
}

async function byLogrotate(path: string, folder: string): Promise<void> {
  const config = join(folder, "logrotate.conf");
  writeFileSync(config, `"${path}" {\n  copytruncate\n  rotate 10000\n}\n`, { mode: 0o644 });
  execFileSync("logrotate", ["--force", "--state", join(folder, "state"), config]);
}

const results = { svcm: await measure(bySvcm), "logrotate copytruncate": await measure(byLogrotate) };
for (const [name, { cpuMs, lost, doubled, lines }] of Object.entries(results))
  console.log(
    `${name}: ${(cpuMs / rotations).toFixed(1)} ms of CPU a rotation; of ${lines} lines ${lost} lost, ${doubled} doubled`,
  );
console.log(
  `CPU ratio: ${(results.svcm.cpuMs / results["logrotate copytruncate"].cpuMs).toFixed(2)} (goal: at most 2)`,
);
