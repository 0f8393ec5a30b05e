import type { Release } from "../api/rollout.ts";
import type { EnvFileCopy, ReleaseEvent } from "../rollout/release.ts";

/**
 * The journals of applies to one PM2, one folder each in `svcm/releases` of its PM2_HOME, for its owner alone. Methods throw
 * {SvcmError} PM2_FAILED with the code `PM2_HOME_UNUSABLE`.
 */
export interface Releases {
  /**
   * Runs `work` while no other svcm applies to this PM2.
   *
   * @throws {SvcmError} APPLY_LOCKED; what `work` throws passes through.
   */
  exclusively<T>(timeoutMs: number, work: () => Promise<T>): Promise<T>;

  /** When the apply or rollback began that runs now, in milliseconds since 1970; null if none runs. */
  heldSince(): Promise<number | null>;

  /** The releases that this process ended, by outcome. */
  counts(): ReadonlyMap<Release["outcome"], number>;

  /** Makes the folder of a release, with the first line of its journal on disk. */
  begin(id: string, first: ReleaseEvent): Promise<void>;

  /** Adds a line, which is on disk when the promise resolves. */
  add(id: string, event: ReleaseEvent): Promise<void>;

  /** The file for PM2's records of a release. */
  keptIn(id: string): string;

  /** The lines of each journal, the newest first. A line that was cut off is left out. */
  list(): Promise<ReleaseEvent[][]>;

  /** Removes all but so many of the newest, and those in use. */
  prune(keep: number, inUse: ReadonlySet<string>): Promise<void>;

  /** Copies files into the folder of a release, for their owner alone. A file that does not exist has no copy. */
  copyIn(id: string, paths: readonly string[]): Promise<EnvFileCopy[]>;

  /** The copies whose files have other bytes now or are gone: the path of the file, and that of its copy. */
  changed(copies: readonly EnvFileCopy[]): Promise<ReadonlyMap<string, string>>;
}
