import type { Repository, Running } from "../pm2/ports.ts";
import type { Audited } from "../access/ports.ts";
import type { HasMachine, HasRevisions } from "../files/ports.ts";
import type { HasLogs, HasProcessLogs } from "../logs/port-logs.ts";
import type { HasRunningCode } from "../running/port-running-code.ts";
import type { HasSchedules } from "../pm2/port-daemons.ts";
import type { HasDeployed, HasHealth } from "./port-deployed.ts";
import type { Release } from "../api/rollout.ts";
import {
  type AppliedState,
  type EnvFileCopy,
  type ReadEvent,
  type ReleaseEvent,
  findAppliedState,
  toJournals,
  toRelease,
} from "./release.ts";

/** The ports of the larger functions of this room. */
export interface RolloutPorts
  extends
    Repository,
    Audited,
    Running,
    HasMachine,
    HasProcessLogs,
    HasReleases,
    HasRevisions,
    HasRunningCode,
    HasSchedules {}

/** The ports of the larger functions of this folder. */
export interface ApplyPorts extends RolloutPorts, HasDeployed, HasHealth, HasLogs {}

/**
 * The journals of applies to one PM2, one folder each in `svcm/releases` of its PM2_HOME. Only the owner can read them.
 * Methods throw {SvcmError} PM2_FAILED with the code `PM2_HOME_UNUSABLE`.
 */
export interface Releases {
  /**
   * Runs `work` while no other svcm process applies to this PM2. The signal ends the wait, and not the work.
   *
   * @throws {SvcmError} APPLY_LOCKED; errors of `work` pass through.
   */
  withLock<T>(timeoutMs: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;

  /** When the running apply or rollback began, in milliseconds since 1970; null if none is running. */
  lockedSince(): Promise<number | null>;

  /** The number of releases that this process ended, by outcome. */
  counts(): ReadonlyMap<Release["outcome"], number>;

  /** Returns the environment of this machine that `svcm init` recorded; `undefined` if there is none. */
  recordedEnvironment(): Promise<string | undefined>;

  recordEnvironment(environment: string): Promise<void>;

  /** Before the first record: another project whose package has the same name gets another folder. */
  claim(): Promise<void>;

  /** Creates the folder of a release, with the first line of its journal on disk. */
  create(id: string, first: ReleaseEvent): Promise<void>;

  /** Appends a line, which is on disk when the promise resolves. */
  append(id: string, event: ReleaseEvent): Promise<void>;

  /** Takes the place of what was recorded there before, and of its copies. @param id the newest release */
  recordRead(id: string, event: ReadEvent): Promise<void>;

  /** The file for PM2's records of a release. */
  recordsFile(id: string): string;

  /** The lines of each journal, newest first. A torn line is omitted. */
  list(): Promise<ReleaseEvent[][]>;

  /** Keeps this many of the newest releases and those in use, and removes the others. */
  prune(keep: number, inUse: ReadonlySet<string>): Promise<void>;

  /** Copies files into the folder of a release; only the owner can read them. A missing file is skipped. */
  copyEnvFiles(id: string, paths: readonly string[]): Promise<EnvFileCopy[]>;

  /** The copies whose original files have changed or are gone: the path of the file, and that of its copy. */
  changedEnvFiles(copies: readonly EnvFileCopy[]): Promise<ReadonlyMap<string, string>>;
}

export interface HasReleases {
  readonly releases: Releases;
}

/** @throws {SvcmError} PM2_FAILED with the code `PM2_HOME_UNUSABLE` */
export async function readAppliedState({ releases }: HasReleases): Promise<AppliedState> {
  return findAppliedState(toJournals(await releases.list()));
}

export async function listDeployRoots({ releases }: HasReleases): Promise<string[]> {
  return [...new Set(toJournals(await releases.list()).flatMap(({ head }) => head.deploy?.root ?? []))];
}

export async function listReleases(releases: Pick<Releases, "lockedSince" | "list">): Promise<Release[]> {
  const before = await releases.lockedSince();
  const journals = toJournals(await releases.list());
  // A release may have begun between the two calls.
  const heldSince = before ?? (await releases.lockedSince());
  return journals.map((journal, at) => toRelease(journal, at === 0 ? heldSince : null));
}
