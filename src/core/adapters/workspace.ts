import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Workspace } from "../ports.ts";
import { pm2Home } from "./pm2/home.ts";

export interface WorkspaceOptions {
  /** The flag `--root`; relative to `cwd`. */
  readonly root?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

const ROOT_MARKERS = ["deployments.yaml", ".git"];

/** Finds the repository root and the folders under it. @see CONTRACT section 2b */
export function resolveWorkspace({ root: asked, env, cwd }: WorkspaceOptions): Workspace {
  const given = asked || env["SVC_SERVICE_MANAGEMENT_ROOT"];
  const found = given ? resolve(cwd, given) : nearestRoot(cwd);
  const root = found ?? resolve(cwd);
  const folder = (variable: string, otherwise: string): string => resolve(root, env[variable] || otherwise);
  return {
    root,
    isKnown: found !== undefined,
    configDir: folder("SVC_SERVICE_MANAGEMENT_CONFIG_DIR", "apps/backend-template/src/config"),
    pm2Dir: folder("SVC_SERVICE_MANAGEMENT_PM2_DIR", "pm2"),
    auditFile: folder("SVC_SERVICE_MANAGEMENT_AUDIT_FILE", ".svcm/audit.jsonl"),
    pm2Home: pm2Home(env, cwd).folder,
    nodeEnv: env["NODE_ENV"],
  };
}

function nearestRoot(cwd: string): string | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (ROOT_MARKERS.some((marker) => existsSync(join(folder, marker)))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}
