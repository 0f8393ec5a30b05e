import type { CoreTimes, HostReading } from "../reading.ts";

const LINE = /^cpu(\d*)\s+([\d ]+)$/;

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
    const match = LINE.exec(line.trimEnd());
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
