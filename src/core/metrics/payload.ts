import { ownMember } from "../words/record.ts";
import { compareText } from "../api/issue.ts";
import type {
  AsyncContextMetrics,
  HostPayload,
  MetricsPayload,
  ProcessMetrics,
  HostSystem,
  HostMetrics,
} from "../api/metrics.ts";
import type { StateOf, ProcessState } from "../running/state.ts";
import { activeContexts } from "./async-context-metrics.ts";
import { isOwnProcess, type OwnProcess, type ProcessRecord } from "../pm2/process-record.ts";
import { isMeasured, treeUsage, type TreeUsage, perMillisecond } from "../running/read-usage.ts";
import type {
  DiskReading,
  HostReading,
  ProcessReading,
  CoreTimes,
  IoReading,
  MemoryReading,
} from "../files/reading.ts";
import { appKind } from "../running/code-evidence.ts";
import { roundToTenths } from "../words/numbers.ts";

interface Reading {
  readonly host: HostReading;
  /** By process that PM2 runs. */
  readonly descendants: ReadonlyMap<number, readonly number[]>;
  readonly processes: ReadonlyMap<number, ProcessReading>;
}

/** Far enough apart for a rate; at first there is no earlier one. */
export interface Measured {
  readonly before: Reading | undefined;
  readonly now: Reading;
  readonly disks: readonly DiskReading[];
  readonly cpuModel: string | null;
  readonly system: HostSystem | null;
}

export interface PayloadInput {
  readonly environment: string;
  readonly epochMs: number;
  readonly platform: string;
  readonly measured: Measured;
  readonly records: readonly ProcessRecord[];
  readonly ecosystem: MetricsPayload["ecosystem"];
  readonly own: OwnProcess;
  readonly stateOf: StateOf;
  readonly asyncContext: (pmId: number) => AsyncContextMetrics;
}

/** The metrics payload. @see CONTRACT section 5 */
export function metricsPayload(input: PayloadInput): MetricsPayload {
  const { environment, epochMs, measured, ecosystem } = input;
  const processes = toProcesses(input);
  const processRssSumBytes = [...measured.now.processes.values()].reduce(
    (sum, { rssBytes }) => sum + (rssBytes ?? 0),
    0,
  );
  return {
    source: "pm2",
    collectedAt: new Date(epochMs).toISOString(),
    environment,
    ecosystem,
    summary: summarize(processes),
    host: hostMetrics({ ...hostReadings(measured), processRssSumBytes }),
    processes,
  };
}

export function hostPayload(measured: Measured, epochMs: number): HostPayload {
  return {
    collectedAt: new Date(epochMs).toISOString(),
    host: hostMetrics({ ...hostReadings(measured), processRssSumBytes: null }),
  };
}

function hostReadings({ before, now, disks, cpuModel, system }: Measured) {
  return { before: before?.host, now: now.host, disks, cpuModel, system };
}

function toProcesses({ records, measured, epochMs, platform, own, stateOf, asyncContext }: PayloadInput) {
  const { before, now } = measured;
  const instances = new Map<string, number>();
  for (const { name } of records) instances.set(name, (instances.get(name) ?? 0) + 1);
  const ordered = records.toSorted((a, b) => compareText(a.name, b.name) || a.pmId - b.pmId);
  return ordered.map((record) =>
    processMetrics({
      record,
      usage: usageOf(record, measured),
      isOwn: isOwnProcess(record, own),
      state: stateOf(record),
      before: isMeasured(record) ? before?.processes.get(record.pid) : undefined,
      now: isMeasured(record) ? now.processes.get(record.pid) : undefined,
      epochMs,
      platform,
      instances: instances.get(record.name) ?? 1,
      asyncContext: asyncContext(record.pmId),
    }),
  );
}

function usageOf(record: ProcessRecord, { before, now }: Measured): TreeUsage {
  const { pid, cpuPercent, memoryBytes } = record;
  if (pid === null) return { cpuPercent: null, memoryBytes: null };
  if (!isMeasured(record)) return { cpuPercent, memoryBytes };
  return treeUsage({ root: pid, descendants: now.descendants.get(pid) ?? [] }, before?.processes, now.processes);
}

/** Sums of measured values only; null if there are none. */
function summarize(processes: readonly ProcessMetrics[]): MetricsPayload["summary"] {
  const statusCounts: Record<string, number> = {};
  for (const { status } of processes) statusCounts[status] = (ownMember(statusCounts, status) ?? 0) + 1;
  const countStates = (...states: readonly ProcessMetrics["state"][]): number =>
    processes.filter(({ state }) => states.includes(state)).length;
  const running = processes.filter(({ pid }) => pid !== null);
  return {
    processCount: processes.length,
    onlineCount: countStates("online", "running"),
    stoppedCount: countStates("stopped"),
    erroredCount: countStates("errored", "given up"),
    totalCpuPercent: sumMeasured(running.map(({ cpuPercent }) => cpuPercent)),
    totalMemoryBytes: sumMeasured(running.map(({ memoryBytes }) => memoryBytes)),
    statusCounts,
    asyncContextActiveSum: activeSum(processes),
  };
}

function sumMeasured(values: readonly (number | null)[]): number | null {
  const measured = values.filter((value) => value !== null);
  if (measured.length === 0 && values.length > 0) return null;
  return Math.round(measured.reduce((sum, value) => sum + value, 0) * 10) / 10;
}

function activeSum(processes: readonly ProcessMetrics[]): number | null {
  const active = processes.map(({ asyncContext }) => activeContexts(asyncContext)).filter((count) => count !== null);
  return active.length === 0 ? null : active.reduce((sum, count) => sum + count, 0);
}

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
function processMetrics(readings: ProcessReadings): ProcessMetrics {
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
