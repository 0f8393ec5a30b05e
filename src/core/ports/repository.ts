import type { CapabilityMatrix, RuntimeContract } from "../facts/schema.ts";
import type { LoadedEcosystem } from "../pm2/loaded.ts";
import type { Project } from "../project/project.ts";

/** The folders and files of a repository, as absolute paths. @see CONTRACT section 2b */
export interface Workspace {
  readonly root: string;
  /**
   * The flag, variable or marker file that determined the root. `undefined` if the root is simply the current folder.
   */
  readonly rootSource: string | undefined;
  readonly configDir: string;
  readonly pm2Dir: string;
  /** Of audit, history and tokens: `.svcm` in the root, or elsewhere if a write there would restart an app. */
  readonly stateFolder: string;
  readonly auditFile: string;
  readonly pm2Home: string;
  /** The variable or file that sets it; `undefined` for the default. */
  readonly pm2HomeSource: string | undefined;
  /** `NODE_ENV`: the default environment of a request. */
  readonly nodeEnv: string | undefined;
}

export interface Facts {
  /** The content of `svcm.yaml`, if the file exists. @throws {SvcmError} FACT_INVALID with every issue */
  project(): Promise<Project | undefined>;
  runtimeContract(): Promise<RuntimeContract>;
  capabilityMatrix(): Promise<CapabilityMatrix>;
}

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
   * Returns what earlier versions of these absolute paths contained: as they were at that time, at the current commit, and
   * before their last commit. Empty without Git or a repository.
   * @param atMs in milliseconds since 1970
   */
  formerTexts(paths: readonly string[], atMs: number): Promise<readonly string[]>;

  /** The paths, relative to the root, that Git tracks. Empty without Git or a repository. */
  listTracked(paths: readonly string[]): Promise<string[]>;
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

/**
 * `judge` also asks PM2's own validation and examines what the apps need on this machine. `repeat` runs the file with a
 * later clock, so that every value that depends on the time differs.
 */
export type LoadPurpose = "read" | "judge" | "repeat";

/** Runs ecosystem files. They are code, so each runs in a separate process. */
export interface EcosystemLoader {
  /** Empty if the folder does not exist. @throws {FileError} another system code */
  list(folder: string): Promise<readonly string[]>;

  /**
   * Runs the file and the modules that it loads. Calls during a run share the next one.
   * @param path absolute
   * @param cwd the working directory of its process; the default is the root
   * @throws {FileError} a system code, or ECOSYSTEM_FILE_SYNTAX, ECOSYSTEM_FILE_THREW, ECOSYSTEM_FILE_TIMEOUT and so
   * on. The message quotes the file only in the text of an exception, without secrets.
   */
  load(path: string, cwd?: string, purpose?: LoadPurpose): Promise<LoadedEcosystem>;

  /** Environment values that files do not get, and that no response may contain. */
  withheldValues(): readonly string[];
}
