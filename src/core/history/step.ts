import { hostHistoryMetrics, processHistoryMetrics } from "../api/names.ts";
import type { Sample } from "../metrics/telemetry.ts";
import { isRecord, parseRecord } from "../words/record.ts";

/** A measured value, or the mean and the maximum of a minute. */
export type Recorded = number | readonly [mean: number, max: number] | null;

/** Values are in the order of the metric names. */
export interface Step {
  readonly atMs: number;
  readonly host: readonly Recorded[];
  /** Keys are name and PM2 id, for example `orders-api/0`. */
  readonly processes: Readonly<Record<string, readonly Recorded[]>>;
}

/** Between two recorded steps. */
export const STEP_MS = 10_000;
export const MINUTE_MS = 60_000;

/** For people who read a file with `zcat`. */
export const HEADER_LINE = JSON.stringify({ columns: { host: hostHistoryMetrics, processes: processHistoryMetrics } });

/** All names come from the sample, which contains no secret. */
export function toStep({ kind, payload }: Sample): Step {
  const { cpu, memory, disk } = payload.host;
  const [first] = disk;
  const processes = kind === "metrics" ? payload.processes : [];
  return {
    atMs: Date.parse(payload.collectedAt),
    host: [
      cpu.usagePercent,
      memory.usedPercent,
      first !== undefined && "usedPercent" in first ? first.usedPercent : null,
    ],
    processes: Object.fromEntries(
      processes.map(({ name, pmId, cpuPercent, memoryBytes, diskIo, restartCount }) => [
        `${name}/${pmId}`,
        [cpuPercent, memoryBytes, diskIo.readBytesPerSecond, diskIo.writeBytesPerSecond, restartCount],
      ]),
    ),
  };
}

export function formatStep({ atMs, host, processes }: Step): string {
  return JSON.stringify({ at: new Date(atMs).toISOString(), host, processes });
}

/** `undefined` for a torn or foreign line. */
export function parseStep(line: string): Step | undefined {
  const { at, host, processes } = parseRecord(line) ?? {};
  const atMs = Date.parse(String(at));
  if (Number.isNaN(atMs) || !isRow(host) || !isRecord(processes)) return undefined;
  return Object.values(processes).every(isRow) ? { atMs, host, processes: processes as Step["processes"] } : undefined;
}

function isRow(value: unknown): value is readonly Recorded[] {
  return Array.isArray(value) && value.every(isRecorded);
}

function isRecorded(value: unknown): boolean {
  if (value === null || Number.isFinite(value)) return true;
  return Array.isArray(value) && value.length === 2 && value.every(Number.isFinite);
}
