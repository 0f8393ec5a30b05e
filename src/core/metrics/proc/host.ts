import type { CoreTimes, HostReading, LoadAvg, MemoryReading } from "../reading.ts";

const CPU_LINE = /^cpu(\d*)\s+([\d ]+)$/;

/**
 * The CPU times of `/proc/stat`. Waiting for a disk counts as idle, stolen time as busy; user time includes guest time. An
 * offline core has no line.
 *
 * @see proc_stat(5)
 */
export function parseStat(text: string): Pick<HostReading, "all" | "cores"> {
  let all: CoreTimes | null = null;
  const cores = new Map<number, CoreTimes>();
  for (const line of text.split("\n")) {
    const match = CPU_LINE.exec(line.trimEnd());
    if (match === null) break;
    const [, core = "", numbers = ""] = match;
    if (core === "") all = timesOf(numbers);
    else cores.set(Number(core), timesOf(numbers));
  }
  return { all, cores };
}

function timesOf(numbers: string): CoreTimes {
  const [user = 0, nice = 0, system = 0, idle = 0, ioWait = 0, irq = 0, softIrq = 0, steal = 0] = numbers
    .split(" ")
    .map(Number);
  const busy = user + nice + system + irq + softIrq + steal;
  return { busy, total: busy + idle + ioWait };
}

/** The three averages of `/proc/loadavg`. @see proc_loadavg(5) */
export function parseLoadavg(text: string): LoadAvg | null {
  const match = /^(\d+\.\d+) (\d+\.\d+) (\d+\.\d+) /.exec(text);
  if (match === null) return null;
  return { one: Number(match[1]), five: Number(match[2]), fifteen: Number(match[3]) };
}

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

const PAGE_SIZE = 6;
const CLOCK_TICKS = 17;
const WORD_BYTES = 8;

export interface Units {
  readonly pageBytes: number;
  readonly ticksPerSecond: number;
}

const COMMON: Units = { pageBytes: 4096, ticksPerSecond: 100 };

/** The units that the kernel handed this process in `/proc/self/auxv`: pairs of 64-bit words. @see getauxval(3) */
export function parseAuxv(bytes: Uint8Array, isLittleEndian: boolean): Units {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = new Map<number, number>();
  for (let at = 0; at + 2 * WORD_BYTES <= view.byteLength; at += 2 * WORD_BYTES) {
    found.set(
      Number(view.getBigUint64(at, isLittleEndian)),
      Number(view.getBigUint64(at + WORD_BYTES, isLittleEndian)),
    );
  }
  return {
    pageBytes: found.get(PAGE_SIZE) ?? COMMON.pageBytes,
    ticksPerSecond: found.get(CLOCK_TICKS) ?? COMMON.ticksPerSecond,
  };
}
