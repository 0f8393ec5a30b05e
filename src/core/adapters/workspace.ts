import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { SvcmError } from "../errors.ts";
import { PROJECT_FILE } from "../project/project.ts";
import type { Workspace } from "../ports/index.ts";
import { pm2Home } from "./pm2/home.ts";

export interface WorkspaceOptions {
  readonly root?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly folders?: readonly string[];
  readonly logFolders?: readonly string[];
  /** True if `PM2_HOME` in `env` comes from `svcm.yaml`. */
  readonly hasDeclaredHome?: boolean;
}

/** `svcm.yaml` in a parent folder counts even if a folder in between has its own `.git`. */
const ROOT_MARKERS = [[PROJECT_FILE], ["deployments.yaml", ".git"]];

const ROOT = "SVC_SERVICE_MANAGEMENT_ROOT";

/**
 * @throws {SvcmError} INVALID_REQUEST if the given root is not a folder
 * @see CONTRACT section 2b
 */
export function resolveWorkspace({ root: asked, env, cwd, hasDeclaredHome }: WorkspaceOptions): Workspace {
  const found = foundRoot({ root: asked, env, cwd });
  const root = found?.folder ?? resolve(cwd);
  if (asked || env[ROOT]) requireFolder(root, asked ? "--root" : ROOT);
  const folder = (variable: string, otherwise: string): string => resolve(root, env[variable] || otherwise);
  return {
    root,
    rootSource: found?.by,
    configDir: folder("SVC_SERVICE_MANAGEMENT_CONFIG_DIR", "apps/backend-template/src/config"),
    pm2Dir: folder("SVC_SERVICE_MANAGEMENT_PM2_DIR", "pm2"),
    auditFile: folder("SVC_SERVICE_MANAGEMENT_AUDIT_FILE", ".svcm/audit.jsonl"),
    pm2Home: pm2Home(env, cwd).folder,
    pm2HomeSource: hasDeclaredHome ? PROJECT_FILE : env["PM2_HOME"] ? "PM2_HOME" : undefined,
    nodeEnv: env["NODE_ENV"],
  };
}

function requireFolder(root: string, name: string): void {
  const why = whyNoFolder(root);
  if (why === undefined) return;
  throw new SvcmError("INVALID_REQUEST", {
    code: "ROOT_INVALID",
    path: root,
    details: `${name} does not name the folder of a repository: ${why}.`,
  });
}

export function repositoryRoot(options: WorkspaceOptions): string | undefined {
  return foundRoot(options)?.folder;
}

function foundRoot({ root, env, cwd }: WorkspaceOptions): { folder: string; by: string } | undefined {
  const given = root || env[ROOT];
  if (given) return { folder: resolve(cwd, given), by: root ? "--root" : ROOT };
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

export function whyNoFolder(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? undefined : "it is not a folder";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? "it does not exist" : `it cannot be read (${code})`;
  }
}
