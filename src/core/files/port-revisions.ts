/** The files of the repository at a revision, read only. */
export interface Revisions {
  /**
   * Reads a file byte for byte: no filter, conversion or program of the repository runs, and nothing is fetched.
   * @param revision names one commit, for example `HEAD~1`, `main` or an object id
   * @param path absolute, inside the repository root
   * @throws {SvcmError} NOT_FOUND if the revision does not exist; REVISION_FAILED without Git or a repository, or for a
   * file that is too large or not regular
   */
  read(revision: string, path: string): Promise<RevisionFile>;

  /**
   * The current commit, and which of these absolute paths differ from it. Untracked files never differ.
   * @param paths is called while Git looks up the commit
   */
  readState(paths: () => Promise<readonly string[]>): Promise<RevisionState | undefined>;

  /**
   * Runs `work` with a temporary folder that contains a revision's code and settings: JavaScript, JSON, YAML and env
   * files, byte for byte, next to the `node_modules` of the work tree. The folder is removed before the promise
   * settles.
   *
   * @throws {SvcmError} as `read`; errors of `work` pass through.
   */
  withFiles<T>(revision: string, work: (folder: string, commit: string) => Promise<T>): Promise<T>;

  /** Branches, remote branches and tags, newest first. Empty without Git or a repository. */
  listNames(): Promise<string[]>;

  /**
   * Returns what earlier versions of these absolute paths contained: as they were at those times, at the current commit, and
   * before their last commit. Empty without Git or a repository.
   * @param timesMs in milliseconds since 1970
   */
  formerTexts(paths: readonly string[], timesMs: readonly number[]): Promise<readonly string[]>;

  /** The paths, relative to the root, that Git tracks. Empty without Git or a repository. */
  listTracked(paths: readonly string[]): Promise<string[]>;

  /** Those that Git neither tracks nor ignores, so that `git add .` would add them. Empty without Git or a repository. */
  listUnignored(paths: readonly string[]): Promise<string[]>;
}

export interface RevisionState {
  readonly commit: string;
  readonly dirty: readonly string[];
}

export interface RevisionFile {
  readonly commit: string;
  /** `undefined` if the revision does not have the file. */
  readonly bytes: Uint8Array | undefined;
}

export interface HasRevisions {
  readonly revisions: Revisions;
}
