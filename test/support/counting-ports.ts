import type { AsyncContextResult } from "../../src/core/metrics/telemetry.ts";
import { join } from "node:path";
import { nodePorts, SvcmError, type Ports } from "../../src/core/index.ts";
import { createAlerting } from "../../src/core/alerts/alerting.ts";
import { createRecorder } from "../../src/core/history/recorder.ts";
import { createTelemetry } from "../../src/core/metrics/sampling/create-telemetry.ts";
import type { ProcessRecord } from "../../src/core/pm2/process-record.ts";

import type { HostReading, ProcessReading } from "../../src/core/files/reading.ts";
import { ManualClock } from "./hand-clock.ts";
import { record } from "./process-record.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Ports that count their calls. Time passes only if the test advances it. */
export interface CountingPorts {
  readonly ports: Ports;
  readonly clock: ManualClock;
  readonly root: string;
  /** The number of calls of each port. */
  readonly counts: { list: number; host: number; opened: number; closed: number; scraped: number };
  /** The answer of PM2, or undefined while it does not run. */
  records: ProcessRecord[] | undefined;
  /** Processes that have ended, although PM2 may still list them. */
  readonly gone: Set<number>;
  scrape: () => Promise<AsyncContextResult>;
}

export function countingPorts(): CountingPorts {
  const clock = new ManualClock();
  const root = temporaryFolder();
  const real = nodePorts({ root, env: { PM2_HOME: join(root, ".pm2") }, cwd: root });
  const world: CountingPorts = {
    clock,
    root,
    records: [runningRecord()],
    gone: new Set(),
    counts: {
      list: 0,
      host: 0,
      opened: 0,
      closed: 0,
      scraped: 0,
    },
    scrape: () =>
      Promise.resolve({
        kind: "answer",
        status: 200,
        text: '{"active":2,"recentStores":[]}',
      }),
    get ports() {
      return ports;
    },
  };
  const { counts } = world;
  const list = (): Promise<ProcessRecord[]> => {
    counts.list += 1;
    if (world.records !== undefined) return Promise.resolve([...world.records]);
    return Promise.reject(new SvcmError("PM2_FAILED", { code: "PM2_NOT_RUNNING", details: "No PM2 daemon runs." }));
  };
  const open = () => {
    counts.opened += 1;
    return Promise.resolve({
      cpuModel: "hand",
      system: null,
      systemReady: Promise.resolve(),
      host: () => Promise.resolve(hostAt(clock.now(), () => (counts.host += 1))),
      descendants: () => new Map(),
      processes: (pids: readonly number[]) => Promise.resolve(processesAt(clock.now(), pids, world.gone)),
      disks: () => Promise.resolve([]),
      close: () => void (counts.closed += 1),
    });
  };
  const get = () => {
    counts.scraped += 1;
    return world.scrape();
  };
  const counting: Ports = {
    ...real,
    clock,
    processes: { ...real.processes, list, scrub: (texts) => Promise.resolve(texts), digest: (value) => value },
    // The pids of these processes may be those of others on this machine.
    machine: { ...real.machine, platform: "linux", openReader: open, openTrees: () => Promise.resolve(undefined) },
    asyncContext: { open: () => ({ get, close: () => Promise.resolve() }) },
  };
  const ports: Ports = { ...counting, telemetry: createTelemetry(counting) };
  Object.assign(ports, { recorder: createRecorder(ports), alerting: createAlerting(ports) });
  return world;
}

/** Half of the one core is always busy. */
function hostAt(nowMs: number, count: () => void): HostReading {
  count();
  const times = { busy: nowMs / 2, total: nowMs };
  const memory = { totalBytes: 1000, freeBytes: 500, availableBytes: 600 };
  return { all: times, cores: new Map([[0, times]]), memory, loadAvg: null };
}

/** Each process uses a quarter of a core. */
function processesAt(nowMs: number, pids: readonly number[], gone: Set<number>): Map<number, ProcessReading> {
  const reading = { atMs: nowMs, cpuMs: nowMs / 4, cpuPercent: null, rssBytes: 100 };
  const io = { readBytes: 0, writeBytes: 0 };
  return new Map(pids.filter((pid) => !gone.has(pid)).map((pid) => [pid, { ...reading, io }]));
}

/** A running process. */
export function runningRecord(more: Partial<ProcessRecord> = {}): ProcessRecord {
  return record({ pid: 4711, status: "online", startedAt: Date.UTC(2030, 0, 1), instances: null, ...more });
}
