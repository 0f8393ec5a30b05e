import { readFileSync } from "node:fs";
import { parsePidStat } from "../src/core/files/proc.ts";

const TICKS_PER_SECOND = 100;

/** In milliseconds, with all threads; 0 for a process that has ended. */
export function cpuMs(...pids: readonly number[]): number {
  const ticks = pids.map((pid) => parsePidStat(statOf(pid))?.cpuTicks ?? 0);
  return (ticks.reduce((sum, one) => sum + one, 0) / TICKS_PER_SECOND) * 1000;
}

function statOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return "";
  }
}
