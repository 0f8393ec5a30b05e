import type { AsyncContextMetrics, HostMetrics, ProcessMetrics, HostSystem } from "../api/metrics.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { appKind } from "../running/verdict.ts";
import { perMillisecond } from "../running/process-rate.ts";
import type { ProcessState } from "../running/state.ts";
import { roundToTenths } from "../words/numbers.ts";
import type {
  CoreTimes,
  DiskReading,
  HostReading,
  IoReading,
  MemoryReading,
  ProcessReading,
} from "../files/reading.ts";

export interface ProcessReadings {
  readonly record: ProcessRecord;
  readonly isOwn: boolean;
  readonly state: ProcessState;
  readonly before: ProcessReading | undefined;
  readonly now: ProcessReading | undefined;
  readonly usage: Pick<ProcessMetrics, "cpuPercent" | "memoryBytes" | "tree">;
  readonly epochMs: number;
  readonly platform: string;
  readonly instances: number;
  readonly asyncContext: AsyncContextMetrics;
}

/** Builds the metrics of a process from an explicit list of fields, so no other field of PM2's record gets through. */
export function processMetrics(readings: ProcessReadings): ProcessMetrics {
  const { record, epochMs, state } = readings;
  return {
    name: record.name,
    pmId: record.pmId,
    pid: record.pid,
    namespace: record.namespace,
    status: record.status,
    kind: appKind(record.declaration.settings),
    state: state.name,
    stateReason: state.reason,
    problem: state.problem,
    ...(readings.isOwn && { isOwn: true }),
    ...readings.usage,
    restartCount: record.restartCount,
    unstableRestarts: record.unstableRestarts,
    uptimeMs: uptimeMs(record, epochMs),
    startedAt: record.startedAt === null ? null : new Date(record.startedAt).toISOString(),
    script: record.script,
    interpreter: record.interpreter,
    execMode: record.execMode,
    instances: readings.instances,
    watching: record.watching,
    nodeVersion: record.nodeVersion,
    version: record.version === "N/A" ? null : record.version,
    exitCode: record.exitCode,
    customMetrics: record.customMetrics,
    customMetricUnits: record.customMetricUnits,
    diskIo: diskIo(readings),
    asyncContext: readings.asyncContext,
  };
}

/** Null if the process is not online, or if the clock was set back after its start. */
export function uptimeMs({ startedAt }: Pick<ProcessRecord, "startedAt">, epochMs: number): number | null {
  return startedAt === null || startedAt > epochMs ? null : epochMs - startedAt;
}

function diskIo({ before, now, platform }: ProcessReadings): ProcessMetrics["diskIo"] {
  const nothing = { readBytes: null, writeBytes: null, readBytesPerSecond: null, writeBytesPerSecond: null };
  if (now === undefined) return { supported: platform === "linux", platform, ...nothing };
  const { io } = now;
  if ("code" in io) return { platform, ...nothing, ...io };
  const { readBytes, writeBytes } = io;
  return { supported: true, platform, readBytes, writeBytes, ...ioRates(before, now) };
}

/** Null without two readings, or if a counter decreased. */
export function usagePercent(before: CoreTimes | null | undefined, now: CoreTimes | null | undefined): number | null {
  if (!before || !now) return null;
  const total = now.total - before.total;
  const busy = now.busy - before.busy;
  return total > 0 && busy >= 0 ? roundToTenths(Math.min(100, (busy / total) * 100)) : null;
}

interface IoRates {
  readonly readBytesPerSecond: number | null;
  readonly writeBytesPerSecond: number | null;
}

export function ioRates(before: ProcessReading | undefined, now: ProcessReading): IoRates {
  const rateOf = (field: "readBytes" | "writeBytes"): number | null => {
    const perMs = perMillisecond(before, now, ioCounter(before?.io, field), ioCounter(now.io, field));
    return perMs === null ? null : Math.round(perMs * 1000);
  };
  return { readBytesPerSecond: rateOf("readBytes"), writeBytesPerSecond: rateOf("writeBytes") };
}

function ioCounter(io: IoReading | undefined, field: "readBytes" | "writeBytes"): number | undefined {
  return io !== undefined && field in io ? (io as Extract<IoReading, { readBytes: number }>)[field] : undefined;
}

interface HostReadings {
  readonly before: HostReading | undefined;
  readonly now: HostReading;
  readonly cpuModel: string | null;
  readonly system: HostSystem | null;
  readonly disks: readonly DiskReading[];
  readonly processRssSumBytes: number | null;
}

export function hostMetrics({ before, now, cpuModel, system, disks, processRssSumBytes }: HostReadings): HostMetrics {
  const cores = [...now.cores.keys()].toSorted((a, b) => a - b);
  return {
    system,
    cpu: {
      coreCount: cores.length,
      model: cpuModel,
      loadAvg: now.loadAvg ?? { one: null, five: null, fifteen: null },
      usagePercent: usagePercent(before?.all, now.all),
      perCore: cores.map((core) => usagePercent(before?.cores.get(core), now.cores.get(core))),
    },
    memory: memoryMetrics(now.memory, processRssSumBytes),
    disk: disks.map(diskMetrics),
  };
}

function memoryMetrics(
  { totalBytes, freeBytes, availableBytes }: MemoryReading,
  processRssSumBytes: number | null,
): HostMetrics["memory"] {
  const unused = availableBytes ?? freeBytes;
  const usedBytes = totalBytes === null || unused === null ? null : totalBytes - unused;
  return {
    totalBytes,
    freeBytes,
    availableBytes,
    usedBytes,
    usedPercent: usedBytes === null || !totalBytes ? null : roundToTenths((usedBytes / totalBytes) * 100),
    processRssSumBytes,
    otherBytes: usedBytes === null || processRssSumBytes === null ? null : Math.max(0, usedBytes - processRssSumBytes),
  };
}

/** As `df` counts: relative to the space for unprivileged users. */
function diskMetrics(disk: DiskReading): HostMetrics["disk"][number] {
  if ("code" in disk) return { path: disk.path, error: disk.error, code: disk.code };
  const { path, blockBytes, blocks, freeBlocks, availableBlocks } = disk;
  const used = blocks - freeBlocks;
  const usable = used + availableBlocks;
  return {
    path,
    totalBytes: blocks * blockBytes,
    freeBytes: freeBlocks * blockBytes,
    availableBytes: availableBlocks * blockBytes,
    usedBytes: used * blockBytes,
    usedPercent: usable === 0 ? 0 : roundToTenths((used / usable) * 100),
  };
}
