/**
 * Logs beside the usual programs over the same files of a real PM2. For the last 10,000 lines and a search, elapsed
 * time and memory count; for following 10,000 lines a second, CPU time.
 *
 * node --import tsx bench/logs.ts [rounds] [megabytes] [seconds of following]
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { pm2, type Pm2 } from "../test/support/pm2-daemon.ts";
import { quietApp } from "../test/support/quiet-app.ts";
import { cpuMs } from "./cpu.ts";
import { median } from "./median.ts";

const ROOT = join(import.meta.dirname, "..");
const SVCM = join(ROOT, "bin/run.js");
const PM2 = join(ROOT, "node_modules/pm2/bin/pm2");
const WARM_UP_MS = 3000;
const LINES_A_SECOND = 10_000;
/** In one line of a hundred thousand. */
const NEEDLE = "needle-7f3a";
const [rounds = 5, megabytes = 1024, seconds = 10] = process.argv.slice(2).map(Number);

/** The usual way to search with `readline`. */
const READLINE = `
  const lines = require("node:readline").createInterface({ input: require("node:fs").createReadStream(process.argv[1]) });
  lines.on("line", (line) => { if (line.includes(process.argv[2])) console.log(line); });`;

interface Cost {
  readonly ms: number;
  readonly megabytes: number;
}

const own = pm2();
try {
  await own.startDaemon();
  const log = await quietApp(own, "large", "");
  fill(log);
  const hasRipgrep = spawnSync("sh", ["-c", "command -v rg"]).status === 0;
  if (!hasRipgrep) console.log("ripgrep is not installed: apt-get install ripgrep");
  const node = process.execPath;
  const search = [node, SVCM, "logs", "large", "--grep", NEEDLE, "-n", "100000"];
  await compare(
    "last 10,000 lines",
    { times: 1 },
    {
      "pm2 logs --nostream": [node, PM2, "logs", "large", "--nostream", "--lines", "10000"],
      "svcm logs": [node, SVCM, "logs", "large", "-n", "10000"],
    },
  );
  const cheap = { megabytes: 80 };
  if (hasRipgrep)
    await compare(
      "search",
      { times: 3, ...cheap },
      {
        ripgrep: ["rg", "--fixed-strings", NEEDLE, log],
        "svcm logs --grep": search,
      },
    );
  await compare(
    "search",
    { times: 0.1, ...cheap },
    {
      readline: [node, "-e", READLINE, log, NEEDLE],
      "svcm logs --grep": search,
    },
  );
  await guess();
  await follow(own);
} finally {
  await own.end();
}

/** A log full of a secret: what a search costs must not tell whether the text is a part of it. */
async function guess(): Promise<void> {
  const secret = "canary-of-a-guess-7f3a";
  const line = (at: number): string => `connect postgres://shop:${secret}@db/shop failed, attempt ${at}\n`;
  const lines = Array.from({ length: 2000 }, (_, at) => line(at)).join("");
  await quietApp(own, "guessed", lines, { env: { DB_PASSWORD: secret } });
  const { logs } = own.ports();
  const read = async (grep: string): Promise<{ readonly ms: number; readonly counters: string }> => {
    const before = performance.now();
    const {
      scannedBytes,
      truncated,
      lines: found,
    } = await logs.read({ app: "guessed", limit: 5, grep, isBounded: true });
    return { ms: performance.now() - before, counters: `${scannedBytes} ${truncated} ${found.length}` };
  };
  const [right, wrong] = [[], []] as [Awaited<ReturnType<typeof read>>[], Awaited<ReturnType<typeof read>>[]];
  for (let round = 0; round < rounds * 4; round += 1) {
    right.push(await read(`shop:${secret.slice(0, 9)}`));
    wrong.push(await read(`shop:${secret.slice(0, 8)}~`));
  }
  const ratio = median(right.map(({ ms }) => ms)) / median(wrong.map(({ ms }) => ms));
  const isSame = new Set([...right, ...wrong].map(({ counters }) => counters)).size === 1;
  const verdict = isSame && ratio > 0.8 && ratio < 1.25 ? "met" : "missed";
  console.log(
    `guess of a secret: right ${median(right.map(({ ms }) => ms)).toFixed(1)} ms, ${ratio.toFixed(2)} of a wrong one, the same counters: ${isSame}, goal 0.8 to 1.25, ${verdict}`,
  );
  await logs.close();
}

interface Goal {
  /** As a multiple of the first command's time. */
  readonly times: number;
  readonly megabytes?: number;
}

async function compare(title: string, goal: Goal, commands: Readonly<Record<string, readonly string[]>>) {
  const costs = new Map(Object.keys(commands).map((name) => [name, [] as Cost[]]));
  for (let round = 0; round < rounds; round += 1)
    for (const [name, argv] of Object.entries(commands)) costs.get(name)?.push(await costOf(argv));
  const base = median((costs.values().next().value ?? []).map(({ ms }) => ms));
  for (const [name, all] of costs) {
    const ratio = median(all.map(({ ms }) => ms)) / base;
    const most = Math.max(...all.map((cost) => cost.megabytes));
    const isMet = ratio <= goal.times && most <= (goal.megabytes ?? Infinity);
    const memory = goal.megabytes === undefined ? "" : ` and ${goal.megabytes} MB`;
    const verdict = name.startsWith("svcm") ? `, goal ${goal.times}${memory}, ${isMet ? "met" : "missed"}` : "";
    console.log(
      `${title} of ${megabytes} MB: ${name} ${(ratio * base).toFixed(0)} ms, ${most} MB, ${ratio.toFixed(2)}${verdict}`,
    );
  }
}

/** Elapsed milliseconds, and the observed peak memory. */
async function costOf([program = "", ...argv]: readonly string[]): Promise<Cost> {
  const before = performance.now();
  const child = spawn(program, argv, { env: environment(), cwd: own.folder, stdio: ["ignore", "ignore", "inherit"] });
  let most = 0;
  const look = setInterval(() => (most = Math.max(most, residentMegabytes(child.pid ?? 0))), 20);
  const [code] = (await once(child, "exit")) as [number | null];
  clearInterval(look);
  if (code !== 0) throw new Error(`${program} ${argv.join(" ")} ended with ${code}`);
  return { ms: performance.now() - before, megabytes: most };
}

/** One reader after another follows the same app. */
async function follow(real: Pm2): Promise<void> {
  const out = join(real.folder, "loud.log");
  const code = `const text = "x".repeat(90); let n = 0;
    setInterval(() => { for (let i = 0; i < ${LINES_A_SECOND / 100}; i += 1) console.log((n += 1) + " " + text); }, 10);`;
  await real.run({ name: "loud", merge_logs: true, out_file: out, error_file: "/dev/null", code });
  const node = process.execPath;
  const readers = {
    "pm2 logs": [node, PM2, "logs", "loud", "--raw"],
    "tail -F": ["tail", "-F", out],
    "svcm logs --follow": [node, SVCM, "logs", "loud", "--follow"],
  };
  const shares = new Map<string, number[]>(Object.keys(readers).map((name) => [name, []]));
  for (let round = 0; round < Math.min(rounds, 3); round += 1)
    for (const [name, argv] of Object.entries(readers)) shares.get(name)?.push(await shareOf(argv));
  const base = median(shares.get("pm2 logs") ?? []);
  for (const [name, all] of shares) {
    const ratio = median(all) / base;
    const verdict = name.startsWith("svcm") ? `, goal 0.5, ${ratio <= 0.5 ? "met" : "missed"}` : "";
    console.log(
      `follow ${LINES_A_SECOND} lines a second: ${name} ${(ratio * base).toFixed(1)} % of a core, ${ratio.toFixed(2)}${verdict}`,
    );
  }
}

/** Per cent of a core. */
async function shareOf([program = "", ...argv]: readonly string[]): Promise<number> {
  const child = spawn(program, argv, { env: environment(), cwd: own.folder, stdio: "ignore" });
  await after(WARM_UP_MS);
  const before = cpuMs(child.pid ?? 0);
  await after(seconds * 1000);
  const spent = cpuMs(child.pid ?? 0) - before;
  child.kill("SIGKILL");
  await once(child, "exit");
  return (spent / (seconds * 1000)) * 100;
}

function residentMegabytes(pid: number): number {
  try {
    const [, kilobytes = 0] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    return Math.round(Number(kilobytes) / 1024);
  } catch {
    return 0;
  }
}

function environment(): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", HOME: own.folder, PM2_HOME: own.home, PM2_DISABLE_VERSION_CHECK: "1" };
}

function fill(path: string): void {
  const block = Array.from({ length: 10_000 }, (_, line) => {
    const text = `2026-11-22T04:58:09.${String(line % 1000).padStart(3, "0")}Z GET /orders/${line} 200 ${"y".repeat(60)}`;
    return `${text}\n`;
  }).join("");
  const file = openSync(path, "w");
  let bytes = 0;
  for (let turn = 0; bytes < megabytes * 2 ** 20; turn += 1) {
    bytes += writeSync(file, block);
    if (turn % 10 === 0) bytes += writeSync(file, `2026-11-22T04:58:10.000Z ${NEEDLE} ${turn}\n`);
  }
  closeSync(file);
}
