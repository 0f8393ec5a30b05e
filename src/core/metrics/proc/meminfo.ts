import type { MemoryReading } from "../reading.ts";

const KIBIBYTE = 1024;

/** The sizes of `/proc/meminfo`. Kernels before 3.14 do not estimate the available memory. @see proc_meminfo(5) */
export function parseMeminfo(text: string): MemoryReading {
  const bytesOf = (name: string): number | null => {
    const match = new RegExp(String.raw`^${name}:\s+(\d+) kB$`, "m").exec(text);
    return match === null ? null : Number(match[1]) * KIBIBYTE;
  };
  return {
    totalBytes: bytesOf("MemTotal"),
    freeBytes: bytesOf("MemFree"),
    availableBytes: bytesOf("MemAvailable"),
  };
}
