/** What `/proc/<pid>/stat` tells of a process. */
export interface PidStat {
  /** One letter; `Z` and `X` are processes that have ended. */
  readonly state: string;
  /** User and system time, without its children's, in clock ticks. */
  readonly cpuTicks: number;
}

/** Fields of proc_pid_stat(5), counted from the state, which is the third. */
const USER_TIME = 11;
const SYSTEM_TIME = 12;

/**
 * The second field is the program's name, which may itself hold spaces, parentheses and line breaks:
 * it ends at the last parenthesis of the text.
 */
export function parsePidStat(text: string): PidStat | undefined {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ", SYSTEM_TIME + 1);
  const [state = ""] = fields;
  const cpuTicks = Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME]);
  return /^[A-Za-z]$/.test(state) && Number.isFinite(cpuTicks) ? { state, cpuTicks } : undefined;
}

/** Whether it has ended and only its parent has not noticed yet. */
export function hasEnded({ state }: PidStat): boolean {
  return state === "Z" || state === "X" || state === "x";
}
