import type { LoadedEcosystem } from "../pm2/loaded.ts";

/** The repository's files at a revision. Read only. */
export interface Revisions {
  /**
   * Reads a file byte for byte: no filter, conversion or program of the repository runs, and nothing is fetched.
   * @param revision names one commit, for example `HEAD~1`, `main` or an object id
   * @param path absolute, inside the repository root
   * @throws {SvcmError} NOT_FOUND without the revision, REVISION_FAILED without Git or a repository, or for a file that
   * is too large or not regular
   */
  read(revision: string, path: string): Promise<RevisionFile>;

  /**
   * The present commit, and which of these absolute paths differ from it. Files that Git does not track never differ.
   * @param paths is asked while Git looks the commit up
   */
  state(paths: () => Promise<readonly string[]>): Promise<RevisionState | undefined>;

  /**
   * Runs `work` with a temporary folder that holds a revision's code and settings: JavaScript, JSON, YAML and env files,
   * byte for byte, beside the `node_modules` of the work tree. The folder is gone when the promise settles.
   *
   * @throws {SvcmError} as `read`; errors of `work` pass through.
   */
  withFiles<T>(revision: string, work: (folder: string, commit: string) => Promise<T>): Promise<T>;

  /** Branches, remote branches and tags, the newest first. Empty without Git or a repository. */
  names(): Promise<string[]>;

  /** The paths that version control tracks, of these relative to the root; none if there is no Git or no repository. */
  tracked(paths: readonly string[]): Promise<string[]>;
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

/** Ecosystem files are code, so each runs in a separate process. */
export interface EcosystemLoader {
  /** Empty if the folder does not exist. @throws {FileError} another system code */
  list(folder: string): Promise<readonly string[]>;

  /**
   * Runs the file and its nested modules again. Calls during a run share the next one.
   * @param path absolute
   * @param cwd the current folder of its process: by default the root
   * @throws {FileError} a system code, or ECOSYSTEM_FILE_SYNTAX, ECOSYSTEM_FILE_THREW, ECOSYSTEM_FILE_TIMEOUT and so
   * on. The message never quotes the file.
   */
  load(path: string, cwd?: string): Promise<LoadedEcosystem>;

  /** Values of the environment that files do not see, and that no answer may contain. */
  withheld(): readonly string[];
}
