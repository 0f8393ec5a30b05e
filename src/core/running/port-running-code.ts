import type { LoadedPaths } from "./loaded-paths.ts";
import type { Verdict } from "./code-evidence.ts";

/** Looks at the code of apps as it is in place, and as their processes were started with it. */
export interface RunningCode {
  /**
   * Also records what a process was started with, where nothing has changed since, so that a later look compares
   * contents. Never fails: what cannot be read or recorded is a verdict, or is missing.
   */
  inspect(apps: readonly CodeRequest[], options: { readonly budgetMs: number }): Promise<readonly AppCode[]>;

  /** By PM2's number: what the env files held when the process started, if it is recorded. */
  envFilesAtStart(processes: readonly CodeProcess[]): ReadonlyMap<number, StartRecord["envFiles"]>;

  /** Tracked files of these apps that differ from a commit, by default the current one. Empty without Git. */
  listUncommitted(apps: readonly CodeRequest[], commit?: string): Promise<Uncommitted>;
}

export interface Uncommitted {
  /** Absolute. */
  readonly paths: readonly string[];
  /** Why there may be more; null if all files were compared. */
  readonly problem: string | null;
}

export interface CodeRequest {
  readonly app: string;
  readonly cwd: string;
  readonly script: string;
  /** In which the app would start for the first time, if it has no declared folder. */
  readonly ownFolder?: string | undefined;
  /** Of the service; `undefined` if the app's own folder is the unit. */
  readonly folder: string | undefined;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Files and folders that are not code, as absolute paths, such as the ecosystem file. */
  readonly others: readonly string[];
  /** Scripts of the other apps. */
  readonly siblings?: readonly string[];
  /** Code wherever it lies. */
  readonly loads?: LoadedPaths;
  /** To be recorded: by path of an env file that the app reads itself, keyed digests by key. */
  readonly envFiles?: StartRecord["envFiles"];
  readonly processes: readonly CodeProcess[];
}

export interface CodeProcess {
  readonly pmId: number;
  readonly pid: number;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  readonly versioning: { readonly revision: string; readonly isDirty: boolean } | null;
}

export interface AppCode {
  readonly app: string;
  /** Changes with the real folder, the commit, the install and the content of the code. */
  readonly fingerprint: string;
  readonly verdicts: ReadonlyMap<number, Verdict>;
  readonly records: ReadonlyMap<number, StartRecord>;
}

export interface HasRunningCode {
  readonly runningCode: RunningCode;
}

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
  /** Absent in the record of an older svcm. */
  readonly links?: Readonly<Record<string, string>>;
  /** Digest of the sources among the code, for the fingerprint of what has not changed since. */
  readonly sources?: string;
  /** Files outside of the unit that its code loads, as absolute real paths. Older records lack it. */
  readonly imports?: readonly string[];
  /** By path of an env file that the app reads itself: keyed digests by key. */
  readonly envFiles: Readonly<Record<string, Readonly<Record<string, string>>>>;
}
