import type { ProcessReading } from "../files/reading.ts";
import { roundToTenths } from "../words/numbers.ts";

/** Of one core. Null without two readings, or if the counter decreased. */
export function processCpuPercent(before: ProcessReading | undefined, now: ProcessReading): number | null {
  if (now.cpuPercent !== null) return roundToTenths(now.cpuPercent);
  const perMs = perMillisecond(before, now, before?.cpuMs, now.cpuMs);
  return perMs === null ? null : roundToTenths(perMs * 100);
}

/** Null without two readings, or if the counter decreased. */
export function perMillisecond(
  before: ProcessReading | undefined,
  now: ProcessReading,
  from: number | null | undefined,
  to: number | null | undefined,
): number | null {
  if (before === undefined || typeof from !== "number" || typeof to !== "number") return null;
  const elapsedMs = now.atMs - before.atMs;
  return elapsedMs > 0 && to >= from ? (to - from) / elapsedMs : null;
}
