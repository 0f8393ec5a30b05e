import { cpus, loadavg } from "node:os";
import type { Systeminformation } from "systeminformation";
import type { CoreTimes, HostReading, IoReading, LoadAvg, ProcessReading } from "../../files/reading.ts";
import type { MachineReader } from "../../files/ports.ts";
import { DiskReader, type SystemQuery } from "./disks.ts";

/** systeminformation starts child processes. */
const CACHE_MS = 5000;
const KIBIBYTE = 1024;

export async function openPortable(
  paths: readonly string[],
  platform: string,
  query: SystemQuery,
): Promise<MachineReader> {
  const { mem, processes } = await import("systeminformation");
  const memory = cached(mem);
  const list = cached(async () => ({ atMs: performance.now(), processes: (await processes()).list }));
  const disks = new DiskReader(paths);
  return {
    cpuModel: cpus()[0]?.model ?? null,
    get system() {
      return query.system;
    },
    systemReady: query.settled,
    descendants: () => new Map(),
    async host() {
      return { ...readCoreTimes(), memory: toMemory(await memory()), loadAvg: readLoadAvg(platform) };
    },
    async processes(pids) {
      const { atMs, processes: all } = await list();
      const requestedPids = new Set(pids);
      const found = all.filter(({ pid }) => requestedPids.has(pid));
      return new Map(found.map((listed) => [listed.pid, toReading(listed, atMs, platform)]));
    },
    disks: () => disks.read(),
    close: () => undefined,
  };
}

function cached<T>(read: () => Promise<T>): () => Promise<T> {
  let last: { readonly atMs: number; readonly value: Promise<T> } | undefined;
  return () => {
    const now = performance.now();
    if (last === undefined || now - last.atMs >= CACHE_MS) last = { atMs: now, value: read() };
    return last.value;
  };
}

function readCoreTimes(): Pick<HostReading, "all" | "cores"> {
  const cores = new Map<number, CoreTimes>();
  for (const [core, { times }] of cpus().entries()) {
    const busy = times.user + times.nice + times.sys + times.irq;
    cores.set(core, { busy, total: busy + times.idle });
  }
  const sum = (field: keyof CoreTimes): number => [...cores.values()].reduce((total, times) => total + times[field], 0);
  return { all: cores.size === 0 ? null : { busy: sum("busy"), total: sum("total") }, cores };
}

function toMemory({ total, free, available }: Systeminformation.MemData): HostReading["memory"] {
  return { totalBytes: total, freeBytes: free, availableBytes: available };
}

/** Windows has no load average, and Node.js reports zeros there. */
function readLoadAvg(platform: string): LoadAvg | null {
  const [one = 0, five = 0, fifteen = 0] = loadavg();
  return platform === "win32" ? null : { one, five, fifteen };
}

/** Windows reports a share of all cores; other systems and svcm report a share of one core. */
function toReading(
  { cpu, memRss }: Systeminformation.ProcessesProcessData,
  atMs: number,
  platform: string,
): ProcessReading {
  const cpuPercent = platform === "win32" ? cpu * cpus().length : cpu;
  return { atMs, cpuMs: null, cpuPercent, rssBytes: memRss * KIBIBYTE, io: NO_DISK_TRAFFIC };
}

const NO_DISK_TRAFFIC: IoReading = {
  supported: false,
  code: "UNSUPPORTED_PLATFORM",
  error: "This platform does not report the disk traffic of a process.",
};
