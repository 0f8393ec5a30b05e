import { ownMember } from "../words/record.ts";
import { compareText } from "../api/issue.ts";
import type { AsyncContextMetrics, HostPayload, MetricsPayload, ProcessMetrics, HostSystem } from "../api/metrics.ts";
import type { StateOf } from "../running/state.ts";
import { activeContexts } from "./async-context-metrics.ts";
import { hostMetrics, processMetrics } from "./from-readings.ts";
import { isOwnProcess, type OwnProcess, type ProcessRecord } from "../pm2/process-record.ts";
import { treeUsage, type TreeUsage } from "../running/read-usage.ts";
import type { DiskReading, HostReading, ProcessReading } from "../files/reading.ts";

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
      before: record.pid === null ? undefined : before?.processes.get(record.pid),
      now: record.pid === null ? undefined : now.processes.get(record.pid),
      epochMs,
      platform,
      instances: instances.get(record.name) ?? 1,
      asyncContext: asyncContext(record.pmId),
    }),
  );
}

function usageOf({ pid }: ProcessRecord, { before, now }: Measured): TreeUsage {
  if (pid === null) return { cpuPercent: null, memoryBytes: null };
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
