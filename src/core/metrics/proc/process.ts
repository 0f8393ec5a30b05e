export interface PidStat {
  /** One letter; `Z` and `X` are processes that have ended. */
  readonly state: string;
  readonly parentPid: number;
  /** User and system time, without that of children, in clock ticks. */
  readonly cpuTicks: number;
  readonly threads: number;
  readonly startTime: string;
}

/** Positions in proc_pid_stat(5), counted from the state, which is the third field. */
const PARENT = 1;
const USER_TIME = 11;
const SYSTEM_TIME = 12;
const THREADS = 17;
const START_TIME = 19;

/** The second field, the program's name, may itself hold spaces, parentheses and line breaks, so it ends at the last `)`. */
export function parsePidStat(text: string): PidStat | undefined {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ", START_TIME + 1);
  const { 0: state = "", [START_TIME]: startTime } = fields;
  if (!/^[A-Za-z]$/.test(state) || startTime === undefined) return undefined;
  const cpuTicks = Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME]);
  const threads = Number(fields[THREADS]);
  return Number.isFinite(cpuTicks)
    ? { state, parentPid: Number(fields[PARENT]), cpuTicks, threads, startTime }
    : undefined;
}

/** True if it has ended and its parent has not noticed yet. The main thread may end before the others do. */
export function hasEnded({ state, threads }: PidStat): boolean {
  return /^[ZXx]$/.test(state) && threads <= 1;
}

/** Resident pages of `/proc/<pid>/statm`, its second number. @see proc_pid_statm(5) */
export function parsePidStatm(text: string): number | null {
  const match = /^\d+ (\d+) /.exec(text);
  return match === null ? null : Number(match[1]);
}

/** Traffic with the storage, of `/proc/<pid>/io`. `rchar` and `wchar` count caches and pipes, too. @see proc_pid_io(5) */
export function parsePidIo(text: string): { readBytes: number; writeBytes: number } | undefined {
  const read = /^read_bytes: (\d+)$/m.exec(text);
  const written = /^write_bytes: (\d+)$/m.exec(text);
  if (read === null || written === null) return undefined;
  return { readBytes: Number(read[1]), writeBytes: Number(written[1]) };
}
