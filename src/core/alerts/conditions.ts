import type { AlertRule } from "../api/names.ts";
import type { HostMetrics, MetricsPayload, ProcessMetrics } from "../api/metrics.ts";
import type { Sample } from "../metrics/telemetry.ts";
import { processLabel, type MemoryGrowth } from "./growth.ts";
import { pluralize } from "../words/pluralize.ts";

export interface Condition {
  readonly rule: AlertRule;
  /** A process, a mount point, an ecosystem file, or PM2. */
  readonly subject: string;
  /** One sentence with only names and figures. */
  readonly details: string;
}

const GIB = 2 ** 30;
/** A file system is nearly full if it falls below either limit. */
const MIN_FREE = { share: 0.1, bytes: 2 * GIB } as const;

export function findConditions(sample: Sample, growth: ReadonlyMap<string, MemoryGrowth>): Condition[] {
  const disks = sample.payload.host.disk.flatMap(diskConditions);
  if (sample.kind === "host") return [{ rule: "pm2-away", subject: "PM2", details: sample.error.details }, ...disks];
  const { payload } = sample;
  return [
    ...offlineConditions(payload),
    ...payload.processes.flatMap(crashLoopConditions),
    ...[...growth].map(([subject, one]) => growthCondition(subject, one)),
    ...disks,
    ...driftConditions(payload),
  ];
}

function offlineConditions({ ecosystem, processes }: MetricsPayload): Condition[] {
  const missing = ecosystem.missingExpected.map((subject) => ({
    subject,
    details: `${subject} is declared in ${ecosystem.fileName}, and no process of it is online.`,
  }));
  const errored = processes
    .filter(({ name, status }) => status === "errored" && !ecosystem.missingExpected.includes(name))
    .map((process) => ({
      subject: processLabel(process),
      details: `${processLabel(process)} is errored: PM2 has given up on it.`,
    }));
  return [...missing, ...errored].map((one) => ({ rule: "not-online", ...one }));
}

function crashLoopConditions(process: ProcessMetrics): Condition[] {
  const { problem } = process;
  if (problem?.code !== "PROCESS_CRASH_LOOP") return [];
  return [{ rule: "crash-loop", subject: processLabel(process), details: problem.details }];
}

function growthCondition(subject: string, { bytesPerHour, hoursLeft }: MemoryGrowth): Condition {
  const rate = `${Math.round(bytesPerHour / 2 ** 20)} MiB an hour`;
  const details = `The memory of ${subject} grows by ${rate}. The machine has no memory left in ${pluralize(Math.round(hoursLeft), "hour")}.`;
  return { rule: "memory-growth", subject, details };
}

function diskConditions(disk: HostMetrics["disk"][number]): Condition[] {
  if (!("availableBytes" in disk)) return [];
  const { path, availableBytes, totalBytes } = disk;
  const isFull = availableBytes < totalBytes * MIN_FREE.share || availableBytes < MIN_FREE.bytes;
  if (!isFull || totalBytes === 0) return [];
  const details = `${path} has ${(availableBytes / GIB).toFixed(1)} GiB free of ${(totalBytes / GIB).toFixed(1)} GiB.`;
  return [{ rule: "disk", subject: path, details }];
}

function driftConditions({ ecosystem }: MetricsPayload): Condition[] {
  const differing = ecosystem.drift.filter(({ state }) => state !== "missing");
  return [...new Set(differing.map(({ name }) => name))].map((subject) => {
    const fields = differing.filter(({ name }) => name === subject).map(({ key, field }) => key ?? field);
    const names = [...new Set(fields)].slice(0, 5).join(", ");
    return { rule: "drift", subject, details: `${subject} differs from ${ecosystem.fileName}: ${names}.` };
  });
}
