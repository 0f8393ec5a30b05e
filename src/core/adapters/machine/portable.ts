import { cpus, loadavg } from "node:os";
import type { Systeminformation } from "systeminformation";
import type { CoreTimes, HostReading, IoReading, LoadAvg, ProcessReading } from "../../metrics/reading.ts";
import type { MachineReader } from "../../ports/machine.ts";
import { DiskReader } from "./disks.ts";
import type { AskedSystem } from "./system.ts";

/** systeminformation starts child processes. */
const KEPT_MS = 5000;
const KIBIBYTE = 1024;

export async function openPortable(
  paths: readonly string[],
  platform: string,
  system: AskedSystem,
): Promise<MachineReader> {
  const { mem, processes } = await import("systeminformation");
  const memory = kept(mem);
  const list = kept(async () => ({ atMs: performance.now(), processes: (await processes()).list }));
  const disks = new DiskReader(paths);
  return {
    cpuModel: cpus()[0]?.model ?? null,
    get system() {
      return system.answer;
    },
    systemReady: system.known,
    async host() {
      return { ...coreTimes(), memory: memoryOf(await memory()), loadAvg: loadAvgOf(platform) };
    },
    async processes(pids) {
      const { atMs, processes: all } = await list();
      const wanted = new Set(pids);
      const found = all.filter(({ pid }) => wanted.has(pid));
      return new Map(found.map((one) => [one.pid, readingOf(one, atMs, platform)]));
    },
    disks: () => disks.read(),
    close: () => undefined,
  };
}

function kept<T>(ask: () => Promise<T>): () => Promise<T> {
  let last: { readonly atMs: number; readonly answer: Promise<T> } | undefined;
  return () => {
    const now = performance.now();
    if (last === undefined || now - last.atMs >= KEPT_MS) last = { atMs: now, answer: ask() };
    return last.answer;
  };
}

function coreTimes(): Pick<HostReading, "all" | "cores"> {
  const cores = new Map<number, CoreTimes>();
  for (const [core, { times }] of cpus().entries()) {
    const busy = times.user + times.nice + times.sys + times.irq;
    cores.set(core, { busy, total: busy + times.idle });
  }
  const sum = (field: keyof CoreTimes): number => [...cores.values()].reduce((total, times) => total + times[field], 0);
  return { all: cores.size === 0 ? null : { busy: sum("busy"), total: sum("total") }, cores };
}

function memoryOf({ total, free, available }: Systeminformation.MemData): HostReading["memory"] {
  return { totalBytes: total, freeBytes: free, availableBytes: available };
}

/** Windows has no load average, and Node.js reports zeros there. */
function loadAvgOf(platform: string): LoadAvg | null {
  const [one = 0, five = 0, fifteen = 0] = loadavg();
  return platform === "win32" ? null : { one, five, fifteen };
}

/** Windows reports a share of all cores; other systems and svcm report a share of one core. */
function readingOf(
  { cpu, memRss }: Systeminformation.ProcessesProcessData,
  atMs: number,
  platform: string,
): ProcessReading {
  const cpuPercent = platform === "win32" ? cpu * cpus().length : cpu;
  return { atMs, cpuMs: null, cpuPercent, rssBytes: memRss * KIBIBYTE, io: NOT_REPORTED };
}

const NOT_REPORTED: IoReading = {
  supported: false,
  code: "UNSUPPORTED_PLATFORM",
  error: "This platform does not report the disk traffic of a process.",
};
