/** Other programs that svcm reads from: Git, and ecosystem files, which are code. */
import type { LoadedEcosystem } from "../pm2/loaded.ts";

/** The repository's files at a revision of its version control. Read only. */
export interface Revisions {
  /**
   * Reads a file at a revision, byte for byte: no filter, conversion or program of the repository runs, and nothing is
   * fetched.
   *
   * @param revision names one commit, for example `HEAD~1`, `main` or an object id
   * @param path of the file, absolute and inside the repository root
   * @throws {SvcmError} NOT_FOUND if the revision does not exist, REVISION_FAILED for anything else: no Git, no
   *   repository, a file that is too large or not a regular one.
   */
  read(revision: string, path: string): Promise<RevisionFile>;

  /** Names of branches, remote branches and tags, the newest first; empty if there is no Git or no repository. */
  names(): Promise<string[]>;
}

export interface RevisionFile {
  /** The object id of the commit that the revision names. */
  readonly commit: string;
  /** `undefined` if the file does not exist at the revision. */
  readonly bytes: Uint8Array | undefined;
}

export interface LoadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Current folder of the file's process; by default the repository root. */
  readonly cwd?: string;
}

/** PM2 ecosystem files. Each runs in a separate process, which cannot harm ours. */
export interface EcosystemLoader {
  /**
   * The names in a folder; none if the folder does not exist.
   *
   * @throws {FileError} any other system code.
   */
  list(folder: string): Promise<readonly string[]>;

  /**
   * Runs a file again, nested modules included, and returns its declarations. For each path at most one run is under way
   * and one waits; calls in between share the latter.
   *
   * @param path absolute
   * @throws {FileError} ECOSYSTEM_FILE_SYNTAX, ECOSYSTEM_FILE_THREW, ECOSYSTEM_FILE_TIMEOUT and the like, or a system
   *   code. The message never quotes the file. The signal's reason if it is aborted.
   */
  load(path: string, options?: LoadOptions): Promise<LoadedEcosystem>;

  /** Values of the environment that files do not see. They are kept out of every answer, too. */
  withheld(): readonly string[];
}
