import type { HasHost, Room } from "../files/ports.ts";
import type { DeployCommand } from "../project/deploy-settings.ts";
import type { ApplyPorts } from "../rollout/ports.ts";
import type { PackageFolder } from "./commands.ts";
import type { FoundCommit } from "./find-commit.ts";
import type { Checkout, DeployGit } from "./port-deploy-git.ts";
import type { Layout, ReleasePlace } from "./layout.ts";
import type { ForeignRelease } from "../rollout/port-deployed.ts";
import type { PathMap } from "./map-paths.ts";
import type { CodeRequest } from "../running/port-running-code.ts";
import type { DeployEvent, DeployRecord, StartedCommand } from "./record.ts";

/** The folders of deploys, and what reaches into them. Methods throw {SvcmError} DEPLOY_IMPOSSIBLE for a refusal of the system. */
export interface Deploys {
  open(root: string): DeployRoot;

  /** @param repository the bare repository of a deploy root */
  git(repository: string): DeployGit;

  /** A tarball or a folder in the place of a commit. @throws {SvcmError} DEPLOY_FAILED with RELEASE_FILE_UNUSABLE */
  releaseFile(path: string, layout: Layout): Promise<DeployCode>;

  /** The ports of svcm with a release as the repository: its files and facts, and PM2 and the records as they are. */
  world(place: ReleasePlace): ReleaseWorld;

  /** Runs a program in its own process group, which has ended when the promise settles. */
  run(command: Exclude<DeployCommand, false>, options: CommandOptions): Promise<CommandResult>;

  /** A release of root would be closed to the user of this PM2. @throws {SvcmError} DEPLOY_REFUSED with DEPLOY_ROOT_TAKEN */
  requireOwner(pm2Home: string): void;

  /** The variables that svcm was started with. */
  callerVariables(): Readonly<Record<string, string | undefined>>;

  /** Tokens in the settings of package registries, which no output may show. */
  registrySecrets(folder: string): string[];

  /** Ends the groups of these programs, if they are still the same. */
  endCommands(commands: readonly StartedCommand[], folder: string): Promise<void>;
}

/** The origin of a release: a commit, or a release file. */
export interface DeployCode {
  readonly found: FoundCommit;
  readonly git: DeployGit;
  readonly checkout: Checkout;
}

export interface ReleaseWorld extends ApplyPorts, HasHost {
  /** Folders of programs, which are not code of the release. */
  readonly programFolders: readonly string[];
  readonly paths: PathMap;
}

export interface DeployRoot {
  readonly layout: Layout;

  /** The signal ends the wait, and not the work. @throws {SvcmError} DEPLOY_LOCKED; errors of `work` pass through */
  withLock<T>(timeoutMs: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;

  /** When the running deploy began, in milliseconds since 1970; null if none is running. */
  lockedSince(): Promise<number | null>;

  /** Creates the folders. @throws {SvcmError} DEPLOY_REFUSED with DEPLOY_ROOT_TAKEN or DEPLOY_ROOT_UNUSABLE */
  claim(owner: RootOwner): Promise<void>;

  /** @throws {SvcmError} DEPLOY_REFUSED with DEPLOY_ROOT_TAKEN if another project has deployed there */
  requireOwn(project: RootProject): Promise<void>;

  /** Newest first. Empty without a root. */
  records(): Promise<DeployRecord[]>;

  /** The line is on disk when the promise resolves. */
  append(id: string, event: DeployEvent): Promise<void>;

  /** Keeps output of commands, at most a mebibyte for each release. */
  appendOutput(id: string, line: string): void;

  /** The release that `current` leads to; null without one of svcm. */
  current(): Promise<string | null>;

  /** The release of another tool that `current` leads to; null without one. Capistrano writes its commit there. */
  foreign(): Promise<ForeignRelease | null>;

  /** Names the commit in the release, if the checkout is one of Capistrano, which names its own: an app may read it. */
  writeRevision(id: string, commit: string, checkout: string): Promise<void>;

  planSwitch(id: string | null): Promise<LinkMove>;

  /** Replaces `current` by a rename, so no reader misses it; null for what it was before svcm. */
  switchTo(id: string | null): Promise<void>;

  /** Bytes and files. */
  measure(folder: string): Promise<DiskSize>;

  /** Of its file system. */
  room(): Promise<Room>;

  /** @param folder below the release; one that does not exist is empty */
  packageFolder(folder: string): Promise<PackageFolder>;

  /** The nearest folder from `folder` up to `top` with a lockfile. */
  installFolder(top: string, folder: string): Promise<string | undefined>;

  /**
   * Replaces these paths of a release by links into `shared`. A new one leads to the old place, or is an empty
   * folder.
   * @throws {SvcmError} DEPLOY_FAILED with SHARED_UNUSABLE
   */
  share(id: string, paths: readonly SharedPath[]): Promise<void>;

  /** Returns LFS pointers that Git did not replace, of the paths that may be some. */
  findPointers(folder: string, paths: readonly string[]): Promise<string[]>;

  sync(folder: string): Promise<void>;

  exists(path: string): Promise<boolean>;

  /** Also a link that leads nowhere. */
  hasEntry(path: string): Promise<boolean>;

  /** Without links. As it is if it does not exist. */
  realPath(path: string): string;

  createFolder(path: string): Promise<void>;

  /** For `changedFiles` and `writtenSince`, once the release is prepared. */
  noteFiles(id: string, apps: readonly NotedApp[]): Promise<void>;

  /**
   * Code of a release, and of the packages installed in it, that was changed since it was prepared; empty if that is not
   * known. Below its folder.
   */
  changedFiles(id: string): Promise<string[]>;

  /** Programs that were added since it was prepared. Below its folder. */
  addedPrograms(id: string): Promise<string[]>;

  /** Files that were written since it was prepared, apart from packages, caches and logs. @param sinceMs that time */
  writtenSince(id: string, sinceMs: number): Promise<string[]>;

  /** Releases that PM2's saved list, or a process of this user, uses, with the pids of those that work there. */
  inUse(ids: readonly string[], dumpFile: string): Promise<Map<string, readonly number[]>>;

  /** Renames the folder first, so that a half-removed one is never taken for a release. */
  remove(id: string): Promise<void>;

  /** Removes the record and the output of a release whose folder is gone. */
  forget(id: string): Promise<void>;

  /** Of killed deploys: folders without a record, and temporary names. */
  removeLeftovers(): Promise<void>;
}

/** As the link is read; null without one. */
export interface LinkMove {
  readonly from: string | null;
  readonly to: string | null;
}

/** Decides which files are code of the app, as in a plan. */
export interface NotedApp extends Pick<CodeRequest, "cwd" | "script" | "folder" | "include" | "exclude"> {}

export interface SharedPath {
  /** Below the release. */
  readonly path: string;
  /** Its place before the first deploy. */
  readonly former: string;
  /** Created if it is nowhere: output of PM2 needs its folder. */
  readonly isFolder?: boolean;
}

export interface RootOwner extends RootProject {
  readonly pm2Home: string;
  readonly environment: string;
}

export interface RootProject {
  /** The repository root, in the checkout or in a release. */
  readonly checkout: string;
  /** The service with a separate root; `""` for the root of the whole checkout. */
  readonly service: string;
  /** The declared ones: a recorded service that is not among them was renamed. */
  readonly services: readonly string[];
}

export interface DiskSize {
  readonly bytes: number;
  readonly files: number;
}

export interface CommandOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Processes that it leaves outside of its group end with it, too. */
  readonly isMarked?: boolean;
  /** Resolves before the program is waited for. */
  readonly onStart?: ((command: StartedCommand) => Promise<void>) | undefined;
  readonly onLine?: ((line: string) => void) | undefined;
}

export interface CommandResult {
  /** `timeout` and `aborted` after its group was ended; `absent` if the program cannot be started. */
  readonly end: "exit" | "signal" | "timeout" | "aborted" | "absent";
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly lastLines: readonly string[];
}

export interface HasDeploys {
  /** Loads the code of deploys. */
  readonly deploys: () => Promise<Deploys>;
}
