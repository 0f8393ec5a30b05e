/**
 * The cost of the monitoring tab in a browser: 100 processes twice a second, from a separate server.
 * Scripting is the browser's measure of a tick. The heap is measured after a collection, before and after many ticks. A
 * page is usable when the first row is there. Each has a goal instead of a baseline.
 *
 * node --import tsx bench/console.ts [ticks at 2 Hz] [ticks for the heap]
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { chromium, type CDPSession, type Page } from "playwright-core";
import { frameExamples } from "../src/core/api/frame-examples.ts";
import { nodePorts, type Ports, type Sample } from "../src/core/index.ts";
import { startServer } from "../src/server/start.ts";
import { nextSample } from "../test/console/monitoring-page.ts";
import { chromiumArguments, findChromium } from "../test/support/chromium.ts";

const TICKS = Number(process.argv[2] ?? 40);
const HEAP_TICKS = Number(process.argv[3] ?? 1_200);
const PROCESSES = 100;
/** The column of a value that every sample changes. */
const CPU = 4;
const GOALS = { scriptKilobytes: 70, scriptMs: 8, usableMs: 1_000 };
const ROOT = join(import.meta.dirname, "..");
const CONSOLE = join(ROOT, "dist/console");
const CONFIG = "apps/backend-template/src/config";
const [{ payload }] = frameExamples.metrics as [(typeof frameExamples.metrics)[number]];
const [example] = payload.processes;

let paceMs = 500;
const folder = mkdtempSync(join(tmpdir(), "svcm-bench-"));
mkdirSync(join(folder, CONFIG), { recursive: true });
cpSync(join(ROOT, CONFIG), join(folder, CONFIG), { recursive: true });
const ports = nodePorts({ root: folder, env: { PM2_HOME: join(folder, "pm2") }, cwd: folder });
const telemetry: Ports["telemetry"] = {
  ...ports.telemetry,
  environment: async ({ environment = "dev" }) => environment,
  close: async () => undefined,
  async *watch(_asked, signal) {
    for (let tick = 0; !signal.aborted; tick += 1) {
      yield sampleOf(tick);
      await wait(paceMs);
    }
  },
};
const log = { write: () => undefined };
const server = await startServer({
  ports: { ...ports, telemetry },
  env: {},
  version: "0.0.0",
  port: 0,
  consoleDir: CONSOLE,
  log,
});
const program = await findChromium();
if (program === undefined) throw new Error("There is no browser.");
const browser = await chromium.launch({ ...program, args: [...chromiumArguments, "--js-flags=--expose-gc"] });

try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  print("script, gzipped", `${scriptKilobytes().toFixed(1)} KB`, `${GOALS.scriptKilobytes} KB`);
  print("usable", `${(await usableMs(page)).toFixed(0)} ms`, `${GOALS.usableMs} ms`);
  const session = await page.context().newCDPSession(page);
  // Wall time would count what the machine does beside it.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  await nextSample(page, 4, CPU);
  const cost = await costOf(session, () => nextSample(page, TICKS, CPU));
  for (const [name, seconds] of Object.entries(cost)) {
    const goal = name === "ScriptDuration" ? `${GOALS.scriptMs} ms` : "";
    print(`${name} a tick, ${PROCESSES} processes`, `${((seconds * 1000) / TICKS).toFixed(2)} ms`, goal);
  }
  paceMs = 20;
  // The rings are full and every path is compiled before the first look.
  await nextSample(page, 300, CPU);
  const before = await heapOf(session);
  await nextSample(page, HEAP_TICKS, CPU);
  const after = await heapOf(session);
  print(`heap before and after ${HEAP_TICKS} ticks`, `${before.toFixed(2)} -> ${after.toFixed(2)} MB`, "flat");
} finally {
  await browser.close();
  await server.close();
  await ports.telemetry.close();
  rmSync(folder, { recursive: true });
}

function sampleOf(tick: number): Sample {
  if (example === undefined) throw new Error("The example has no process.");
  const wave = (at: number): number => 50 + 50 * Math.sin(tick / 7 + at);
  const processes = Array.from({ length: PROCESSES }, (_, at) => ({
    ...example,
    name: `process-${String(at).padStart(3, "0")}`,
    pmId: at,
    cpuPercent: wave(at),
    memoryBytes: Math.round(wave(at) * 4e6),
    uptimeMs: tick * 500,
  }));
  const host = { ...payload.host, cpu: { ...payload.host.cpu, usagePercent: wave(0) } };
  return { kind: "metrics", payload: { ...payload, collectedAt: new Date().toISOString(), host, processes } };
}

function scriptKilobytes(): number {
  const assets = join(CONSOLE, "assets");
  const scripts = readdirSync(assets).filter((name) => name.endsWith(".js"));
  return scripts.reduce((sum, name) => sum + gzipSync(readFileSync(join(assets, name))).length, 0) / 1024;
}

async function usableMs(page: Page): Promise<number> {
  const start = performance.now();
  await page.goto(server.url);
  await page.getByRole("button", { name: "process-000" }).first().waitFor();
  return performance.now() - start;
}

async function metricsOf(session: CDPSession): Promise<Map<string, number>> {
  const { metrics } = await session.send("Performance.getMetrics");
  return new Map(metrics.map(({ name, value }) => [name, value]));
}

async function costOf(session: CDPSession, run: () => Promise<void>): Promise<Record<string, number>> {
  const names = ["ScriptDuration", "LayoutDuration", "RecalcStyleDuration", "TaskDuration"];
  const before = await metricsOf(session);
  await run();
  const after = await metricsOf(session);
  return Object.fromEntries(names.map((name) => [name, (after.get(name) ?? 0) - (before.get(name) ?? 0)]));
}

/** In megabytes, after what can be collected is. */
async function heapOf(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.collectGarbage");
  return ((await metricsOf(session)).get("JSHeapUsedSize") ?? 0) / 2 ** 20;
}

function print(what: string, measured: string, goal: string): void {
  console.log(`${what.padEnd(48)} ${measured.padStart(20)}   ${goal}`);
}
