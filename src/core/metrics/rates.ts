import type { CoreTimes, IoReading, ProcessReading } from "./reading.ts";

const TENTH = 10;

/** Percent of a core, or of all, between two readings; null without two, or if a counter went back. */
export function usagePercent(before: CoreTimes | null | undefined, now: CoreTimes | null | undefined): number | null {
  if (!before || !now) return null;
  const total = now.total - before.total;
  const busy = now.busy - before.busy;
  // The kernel's counter of waits for disks can go back, so the share can exceed 100 %.
  return total > 0 && busy >= 0 ? tenths(Math.min(100, (busy / total) * 100)) : null;
}

/** Percent of one core between two readings of a process; null without two. */
export function processCpuPercent(before: ProcessReading | undefined, now: ProcessReading): number | null {
  if (now.cpuPercent !== null) return tenths(now.cpuPercent);
  const perMs = perMillisecond(before, now, before?.cpuMs, now.cpuMs);
  return perMs === null ? null : tenths(perMs * 100);
}

export interface IoRates {
  readonly readBytesPerSecond: number | null;
  readonly writeBytesPerSecond: number | null;
}

/** Bytes a second between two readings of one process. */
export function ioRates(before: ProcessReading | undefined, now: ProcessReading): IoRates {
  const rateOf = (field: "readBytes" | "writeBytes"): number | null => {
    const perMs = perMillisecond(before, now, counterOf(before?.io, field), counterOf(now.io, field));
    return perMs === null ? null : Math.round(perMs * 1000);
  };
  return { readBytesPerSecond: rateOf("readBytes"), writeBytesPerSecond: rateOf("writeBytes") };
}

function counterOf(io: IoReading | undefined, field: "readBytes" | "writeBytes"): number | undefined {
  return io !== undefined && field in io ? (io as Extract<IoReading, { readBytes: number }>)[field] : undefined;
}

function perMillisecond(
  before: ProcessReading | undefined,
  now: ProcessReading,
  from: number | null | undefined,
  to: number | null | undefined,
): number | null {
  if (before === undefined || typeof from !== "number" || typeof to !== "number") return null;
  const elapsedMs = now.atMs - before.atMs;
  return elapsedMs > 0 && to >= from ? (to - from) / elapsedMs : null;
}

export function tenths(value: number): number {
  return Math.round(value * TENTH) / TENTH;
}
