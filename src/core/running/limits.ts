/** Limits of the system that an error log names only by a code. */
import type { SystemLimits } from "../files/reading.ts";

interface LimitRule {
  readonly pattern: RegExp;
  readonly text: (limits: SystemLimits) => string | undefined;
}

/** The first that matches a line explains it. */
const RULES: readonly LimitRule[] = [
  {
    pattern: /\bEMFILE\b.*, watch\b/,
    text: ({ inotifyInstances: max }) =>
      `EMFILE of a watch: its user has as many inotify instances as it may${allowed(max)} (fs.inotify.max_user_instances).`,
  },
  {
    pattern: /\bENOSPC\b.*(?:file watchers|, watch\b)/,
    text: ({ inotifyWatches: max }) =>
      `ENOSPC of a watch: its user watches as many files as it may${allowed(max)} (fs.inotify.max_user_watches). The disk is not the reason.`,
  },
  {
    pattern: /\bEMFILE\b/,
    text: ({ openFiles: max }) => `EMFILE: it had as many files and sockets open as it may${allowed(max)} (ulimit -n).`,
  },
  {
    pattern: /\bENFILE\b/,
    text: () => "ENFILE: the machine had as many files open as it may (fs.file-max).",
  },
  {
    pattern: /\bspawn\b.*\bEAGAIN\b|\bfork: .*(?:Resource temporarily unavailable)|Cannot fork\b/,
    text: ({ processes: max }) =>
      `EAGAIN: no further process could be started: its user has as many as it may${allowed(max)} (ulimit -u), or its control group (pids.max).`,
  },
  {
    pattern: /Array buffer allocation failed|\bENOMEM\b|Cannot allocate memory/,
    // Without this limit, the machine or the control group may have had no memory, and nothing here shows that.
    text: ({ addressSpace: max }) =>
      max === null || max === "unlimited"
        ? undefined
        : `It may use ${max} bytes of address space (ulimit -v), which the system may have refused to exceed.`,
  },
];

function allowed(max: string | null): string {
  return max === null ? "" : `, ${max}`;
}

/** By the newest line that names one. */
export function reachedLimit(errorLines: readonly string[], limits: SystemLimits): string[] {
  for (const line of errorLines.toReversed()) {
    const text = RULES.find(({ pattern }) => pattern.test(line))?.text(limits);
    if (text !== undefined) return [text];
  }
  return [];
}
