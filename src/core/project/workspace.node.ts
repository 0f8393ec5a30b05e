import type { Workspace } from "./port-repository.ts";
import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { realPathIfReadable } from "../files/system.ts";
import { SvcmError } from "../api/errors.ts";
import { CONFIG_VARIABLE, PM2_VARIABLE } from "./folder-variables.ts";
import { PROJECT_FILE } from "./project.ts";
import { homedir } from "node:os";
import { errorCode } from "../words/thrown.ts";
import { serviceFolder } from "./service-folder.node.ts";

export interface WorkspaceOptions {
  readonly root?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly folders?: readonly string[];
  readonly logFolders?: readonly string[];
  readonly hasDeclaredHome?: boolean;
  /** False for a server. */
  readonly isCommand?: boolean;
  /** The default is `.svcm` in the root. */
  readonly stateFolder?: string;
}

/** `svcm.yaml` in a parent folder counts even if a folder in between has its own `.git`. */
const ROOT_MARKERS = [[PROJECT_FILE], ["deployments.yaml", ".git"]];

const ROOT_VARIABLE = "SVC_SERVICE_MANAGEMENT_ROOT";

/**
 * @throws {SvcmError} INVALID_REQUEST if the given root is not a folder
 * @see CONTRACT section 2b
 */
export function resolveWorkspace({
  root: requestedRoot,
  env,
  cwd,
  hasDeclaredHome,
  stateFolder,
}: WorkspaceOptions): Workspace {
  const found = findRoot({ root: requestedRoot, env, cwd });
  const root = found?.folder ?? resolve(cwd);
  if (requestedRoot || env[ROOT_VARIABLE]) requireFolder(root, requestedRoot ? "--root" : ROOT_VARIABLE);
  const folder = (variable: string, fallback: string): string => resolve(root, env[variable] || fallback);
  const isSet = [CONFIG_VARIABLE, PM2_VARIABLE].filter((variable) => env[variable]);
  return {
    root,
    rootSource: found?.by,
    configDir: folder(CONFIG_VARIABLE, "apps/backend-template/src/config"),
    pm2Dir: folder(PM2_VARIABLE, "pm2"),
    folderVariables: Object.fromEntries(isSet.map((variable) => [variable, folder(variable, "")])),
    stateFolder: stateFolder ?? resolve(root, ".svcm"),
    auditFile: folder("SVC_SERVICE_MANAGEMENT_AUDIT_FILE", join(stateFolder ?? ".svcm", "audit.jsonl")),
    pm2Home: pm2Home(env, cwd).folder,
    pm2HomeSource: hasDeclaredHome ? PROJECT_FILE : env["PM2_HOME"] ? "PM2_HOME" : undefined,
    get hasRecords() {
      return existsSync(serviceFolder(this.pm2Home, this.root));
    },
    nodeEnv: env["NODE_ENV"],
  };
}

/** @throws {SvcmError} ROOT_INVALID if it cannot be read, or was removed since the shell entered it, as an old release is */
export function workingFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    const code = errorCode(error);
    throw new SvcmError("INVALID_REQUEST", {
      code: "ROOT_INVALID",
      details: `The current folder ${code === "ENOENT" ? "was removed" : `cannot be read (${code})`}.`,
      hint: 'Enter the one that has its name now, with cd "$PWD", or go to another folder.',
    });
  }
}

function requireFolder(root: string, name: string): void {
  const problem = folderProblem(root);
  if (problem === undefined) return;
  throw new SvcmError("INVALID_REQUEST", {
    code: "ROOT_INVALID",
    path: root,
    details: `${name} does not name the folder of a repository: ${problem}.`,
  });
}

export function repositoryRoot(options: WorkspaceOptions): string | undefined {
  return findRoot(options)?.folder;
}

function findRoot({ root, env, cwd }: WorkspaceOptions): { folder: string; by: string } | undefined {
  const explicit = root || env[ROOT_VARIABLE];
  if (explicit) return { folder: resolve(cwd, explicit), by: root ? "--root" : ROOT_VARIABLE };
  for (const names of ROOT_MARKERS) {
    const folder = nearestFolder(cwd, names);
    const by = names.find((name) => folder !== undefined && existsSync(join(folder, name)));
    if (folder !== undefined && by !== undefined) return { folder, by };
  }
  return undefined;
}

export function nearestFolder(cwd: string, names: readonly string[]): string | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (names.some((name) => existsSync(join(folder, name)))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

export function folderProblem(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? undefined : "it is not a folder";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? "it does not exist" : `it cannot be read (${code})`;
  }
}

/** A socket path has at most 107 bytes. PM2 truncates a longer one and then waits forever. */
const MAX_HOME_BYTES = 97;

export interface Pm2Home {
  /** The real path, so that two ways to write it are one PM2. */
  readonly folder: string;
  /** In the folder as it is written: a short link may lead to a path that is too long for a socket. */
  readonly socket: string;
}

export function pm2Home(env: Readonly<Record<string, string | undefined>>, cwd: string): Pm2Home {
  const written = resolve(cwd, env["PM2_HOME"] || join(env["HOME"] || homedir(), ".pm2"));
  const real = realPathIfReadable(written);
  const folder = real === written ? join(realPathIfReadable(dirname(written)), basename(written)) : real;
  return { folder, socket: join(written, "rpc.sock") };
}

export function homeProblem({ socket }: Pm2Home): string | undefined {
  const bytes = Buffer.byteLength(dirname(socket));
  if (process.platform === "win32" || bytes <= MAX_HOME_BYTES) return undefined;
  return `The path of PM2_HOME has ${bytes} bytes, and a socket in it cannot be addressed. Accepted: at most ${MAX_HOME_BYTES} bytes.`;
}
