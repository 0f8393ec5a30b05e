/**
 * The CPU time of sampling at 500 ms, compared with PM2's `list()` at every tick. Both take turns on one real PM2 with
 * idle processes; its daemon's time counts, too.
 *
 * node --import tsx bench/telemetry.ts [rounds] [seconds a round] [processes...]
 */
import { setTimeout as after } from "node:timers/promises";
import { nodePorts, type Ports, type Telemetry } from "../src/core/index.ts";
import { pm2, type Pm2 } from "../test/support/pm2-daemon.ts";
import { cpuMs } from "./cpu.ts";

const [rounds = 5, seconds = 10, ...counts] = process.argv.slice(2).map(Number);
const ROUNDS = rounds;
const ROUND_MS = seconds * 1000;
const COUNTS = counts.length > 0 ? counts : [20, 100];
const TICK_MS = 500;
const GOAL = 0.5;
const APPS_A_FILE = 10;

for (const count of COUNTS) {
  const own = pm2();
  try {
    await measure(count, own);
  } finally {
    await own.end();
  }
}

async function measure(count: number, own: Pm2): Promise<void> {
  const daemon = await own.startDaemon();
  const names = Array.from({ length: count / APPS_A_FILE }, (_, index) => `app-${index}`);
  const app = { script: "/bin/sleep", interpreter: "none", args: "100000", instances: APPS_A_FILE, exec_mode: "fork" };
  const env = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`SVC_KEY_${index}`, `value ${index}`]));
  const apps = names.map((name) => ({ ...app, name, env }));
  own.pm2Folder(apps);
  const ports = nodePorts({
    root: own.folder,
    env: { PATH: process.env["PATH"], HOME: own.folder, PM2_HOME: own.home },
    cwd: own.folder,
  });
  for (const name of names) await own.startDeclared(name);
  const ratios: number[] = [];
  const costs = { list: [] as number[], sampler: [] as number[] };
  await sampling(ports.telemetry, 2 * TICK_MS);
  for (let round = 0; round < ROUNDS; round += 1) {
    const list = await cpuOf(daemon.pid, () => listing(ports, ROUND_MS));
    const sampler = await cpuOf(daemon.pid, () => sampling(ports.telemetry, ROUND_MS));
    costs.list.push(list);
    costs.sampler.push(sampler);
    ratios.push(sampler / list);
  }
  const before = ports.telemetry.cost();
  const idle = await cpuOf(daemon.pid, () => after(5 * TICK_MS));
  const { listCalls, samples } = ports.telemetry.cost();
  const [ratio, list, sampler] = [ratios, costs.list, costs.sampler].map(median) as [number, number, number];
  console.log(
    `${count} processes: ${ratio.toFixed(2)} (goal ${GOAL}): list each tick ${percent(list, ROUND_MS)}, sampler ${percent(sampler, ROUND_MS)} of a core; ` +
      `unwatched ${listCalls - before.listCalls} calls, ${samples - before.samples} samples, ${percent(idle, 5 * TICK_MS)}`,
  );
  if (ratio > GOAL) process.exitCode = 1;
  await ports.telemetry.close();
  await ports.processes.close();
}

async function listing(ports: Ports, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += TICK_MS) {
    await ports.processes.list();
    await after(TICK_MS);
  }
}

async function sampling(telemetry: Telemetry, ms: number): Promise<void> {
  const signal = AbortSignal.timeout(ms);
  const request = { environment: "dev", intervalMs: TICK_MS, asyncContext: false };
  for await (const { kind } of telemetry.watch(request, signal)) if (kind !== "metrics") throw new Error(kind);
}

/** In milliseconds, including the daemon. */
async function cpuOf(daemon: number, work: () => Promise<unknown>): Promise<number> {
  const before = withOwnMs(daemon);
  await work();
  return withOwnMs(daemon) - before;
}

function withOwnMs(daemon: number): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + cpuMs(daemon);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function percent(cpu: number, ms: number): string {
  return `${((cpu / ms) * 100).toFixed(2)} %`;
}
