import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { frameExamples } from "../../src/core/api/frame-examples.ts";
import { nodePorts, type Ports, type Sample } from "../../src/core/index.ts";
import { startServer } from "../../src/server/start.ts";

export const ROOT = join(import.meta.dirname, "../..");
const CONFIG = "apps/backend-template/src/config";
const [{ payload }] = frameExamples.metrics as [(typeof frameExamples.metrics)[number]];

export type World = Awaited<ReturnType<typeof openWorld>>;

/** @param logs replaces the log files */
export async function openWorld(logs: Partial<Ports["logs"]> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "svcm-bench-"));
  mkdirSync(join(folder, CONFIG), { recursive: true });
  cpSync(join(ROOT, CONFIG), join(folder, CONFIG), { recursive: true });
  const ports = nodePorts({ root: folder, env: { PM2_HOME: join(folder, "pm2") }, cwd: folder });
  let [paceMs, count] = [500, 100];
  const telemetry: Ports["telemetry"] = {
    ...ports.telemetry,
    environment: async ({ environment = "dev" }) => environment,
    close: async () => undefined,
    async *watch(_request, signal) {
      for (let tick = 0; !signal.aborted; tick += 1) {
        yield sampleOf(tick, count);
        await wait(paceMs);
      }
    },
  };
  const server = await startServer({
    ports: { ...ports, telemetry, logs: { ...ports.logs, ...logs } },
    env: {},
    version: "0.0.0",
    port: 0,
    consoleDir: join(ROOT, "dist/console"),
    log: { write: () => undefined },
  });
  return {
    url: server.url,
    show: (processes: number): void => void (count = processes),
    pace: (ms: number): void => void (paceMs = ms),
    async close(): Promise<void> {
      await server.close();
      await ports.telemetry.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Every value of every process changes with each sample. */
function sampleOf(tick: number, count: number): Sample {
  const [example] = payload.processes;
  if (example === undefined) throw new Error("The example has no process.");
  const wave = (at: number): number => 50 + 50 * Math.sin(tick / 7 + at);
  const processes = Array.from({ length: count }, (_, at) => ({
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
