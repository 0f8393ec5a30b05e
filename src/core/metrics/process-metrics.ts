import type { AsyncContextMetrics, ProcessMetrics, ProcessProblem } from "../api/metrics.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { ioRates, processCpuPercent } from "./rates.ts";
import type { ProcessReading } from "./reading.ts";

export interface ProcessFacts {
  readonly record: ProcessRecord;
  readonly isOwn: boolean;
  readonly problem: ProcessProblem | null;
  readonly before: ProcessReading | undefined;
  readonly now: ProcessReading | undefined;
  readonly epochMs: number;
  readonly platform: string;
  readonly instances: number;
  readonly asyncContext: AsyncContextMetrics;
}

/** A process built from a list of fields: only fields of PM2's record that are named here pass. */
export function processMetrics(facts: ProcessFacts): ProcessMetrics {
  const { record, before, now, epochMs } = facts;
  return {
    name: record.name,
    pmId: record.pmId,
    pid: record.pid,
    namespace: record.namespace,
    status: record.status,
    problem: facts.problem,
    ...(facts.isOwn && { isOwn: true }),
    cpuPercent: now === undefined ? null : processCpuPercent(before, now),
    memoryBytes: now?.rssBytes ?? null,
    restartCount: record.restartCount,
    unstableRestarts: record.unstableRestarts,
    uptimeMs: uptimeMs(record, epochMs),
    startedAt: record.startedAt === null ? null : new Date(record.startedAt).toISOString(),
    script: record.script,
    interpreter: record.interpreter,
    execMode: record.execMode,
    instances: facts.instances,
    watching: record.watching,
    nodeVersion: record.nodeVersion,
    version: record.version === "N/A" ? null : record.version,
    exitCode: record.exitCode,
    customMetrics: record.customMetrics,
    customMetricUnits: record.customMetricUnits,
    diskIo: diskIo(facts),
    asyncContext: facts.asyncContext,
  };
}

/** Null unless it is online, or if the clock was set back after its start. */
export function uptimeMs({ startedAt }: Pick<ProcessRecord, "startedAt">, epochMs: number): number | null {
  return startedAt === null || startedAt > epochMs ? null : epochMs - startedAt;
}

function diskIo({ before, now, platform }: ProcessFacts): ProcessMetrics["diskIo"] {
  const nothing = { readBytes: null, writeBytes: null, readBytesPerSecond: null, writeBytesPerSecond: null };
  if (now === undefined) return { supported: platform === "linux", platform, ...nothing };
  const { io } = now;
  if ("code" in io) return { platform, ...nothing, ...io };
  const { readBytes, writeBytes } = io;
  return { supported: true, platform, readBytes, writeBytes, ...ioRates(before, now) };
}
