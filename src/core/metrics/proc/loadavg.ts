import type { LoadAvg } from "../reading.ts";

/** The three averages of `/proc/loadavg`. @see proc_loadavg(5) */
export function parseLoadavg(text: string): LoadAvg | null {
  const match = /^(\d+\.\d+) (\d+\.\d+) (\d+\.\d+) /.exec(text);
  if (match === null) return null;
  return { one: Number(match[1]), five: Number(match[2]), fifteen: Number(match[3]) };
}
