/**
 * The code and values of a process at its start. It belongs to one pid and one start, so a later process with the same pid never
 * matches it. It contains keyed digests, but no value.
 * @see CONTRACT section 13
 */
export interface StartRecord {
  readonly app: string;
  readonly pmId: number;
  readonly pid: number;
  /** Of the boot in which the process started. */
  readonly bootId: string;
  /** Field 22 of `/proc/<pid>/stat`: unique for a pid within a boot. */
  readonly startTicks: string;
  /** PM2's `pm_uptime`, in milliseconds since 1970. */
  readonly startedAt: number;
  /** When it was written: at the start, or later while no file had changed since. */
  readonly recordedAt: number;
  /** Real paths, with every link resolved. */
  readonly cwd: string;
  readonly script: string | null;
  /** `null` without Git. */
  readonly commit: string | null;
  /** Names the list of digests by path, which the processes of a unit share. */
  readonly code: string;
  /** Digest of the lockfile and of the package manager's install marker; `null` without both. */
  readonly install: string | null;
  /** Digest of the sources among the code, for the fingerprint of what has not changed since. */
  readonly sources?: string;
  /** Files outside of the unit that its code loads, as absolute real paths. Older records lack it. */
  readonly imports?: readonly string[];
  /** By path of an env file that the app reads itself: keyed digests by key. */
  readonly envFiles: Readonly<Record<string, Readonly<Record<string, string>>>>;
}
