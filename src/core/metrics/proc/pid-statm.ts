/** Resident pages of `/proc/<pid>/statm`, its second number. @see proc_pid_statm(5) */
export function parsePidStatm(text: string): number | null {
  const match = /^\d+ (\d+) /.exec(text);
  return match === null ? null : Number(match[1]);
}
