import type { HasFacts, HasWorkspace } from "../project/port-repository.ts";
import type { HasStamps } from "../files/port-files.ts";
import type { HasEcosystems } from "../pm2/port-ecosystems.ts";
import { isPm2Name } from "../pm2/pm2-names.ts";
import { SvcmError } from "../api/errors.ts";

import { isEnvName } from "./detect/survey.ts";
import { resolvePath } from "../project/resolve.ts";

const MAX_LISTED = 4;

type HintPorts = HasEcosystems & HasFacts & HasStamps & HasWorkspace;

/**
 * The next step for a repository without `svcm.yaml` that has PM2 or env files in another layout, or has nothing.
 * `undefined` for any other repository.
 */
export async function layoutHint({ ecosystems, facts, stamps, workspace }: HintPorts): Promise<string | undefined> {
  if ((await facts.project().catch(() => null)) !== undefined) return undefined;
  const names = await ecosystems.list(workspace.root).catch(() => []);
  const found = names.filter((name) => isPm2Name(name) || isEnvName(name)).toSorted();
  if (found.length === 0) return isBare({ stamps, workspace }) ? bareHint(workspace.root) : undefined;
  const more = found.length > MAX_LISTED ? ", ..." : "";
  return `Found here: ${found.slice(0, MAX_LISTED).join(", ")}${more}. To use them, run: svcm init`;
}

/** A variable that names a folder has been set for a reason. */
function isBare({ stamps, workspace }: HasStamps & HasWorkspace): boolean {
  const { configDir, pm2Dir, folderVariables } = workspace;
  return Object.keys(folderVariables).length === 0 && stamps.missing([configDir, pm2Dir]).size === 2;
}

function bareHint(root: string): string {
  return `Nothing is declared in ${root}: it has no svcm.yaml, ecosystem file or env file. Run svcm in the folder of your apps, or name it with --root.`;
}

/** Adds that next step to an error that reports a missing file of svcm's default layout. */
export async function withLayoutHint(ports: HintPorts, error: unknown): Promise<unknown> {
  if (!(error instanceof SvcmError) || !isDefaultFileMissing(error, ports.workspace.root)) return error;
  const isDocument = error.body.code === "SUITE_FILE_NOT_FOUND";
  const hint =
    (await layoutHint(ports)) ?? (isDocument ? await checkHint(ports) : await templateHint(ports, error.body.path));
  return hint === undefined ? error : new SvcmError(error.kind, { ...error.body, hint });
}

/** In a repository with `svcm.yaml`, `validate` was meant for what it declares. */
async function checkHint({ facts }: HasFacts): Promise<string | undefined> {
  const project = await facts.project().catch(() => undefined);
  return (
    project &&
    "svcm check checks what this repository declares. Only Declare commands need a deployments.yaml: svcm targets add creates it."
  );
}

async function templateHint(
  { facts, workspace }: HasFacts & HasWorkspace,
  path: string | undefined,
): Promise<string | undefined> {
  const services = Object.values((await facts.project().catch(() => undefined))?.services ?? {});
  const found = services.find(({ folder, env }) =>
    Object.values(env).some(({ layers }) =>
      layers.some((layer) => resolvePath(resolvePath(workspace.root, folder), layer) === path),
    ),
  );
  return found?.template && `Make the file from ${found.template}.`;
}

/** svcm does not guess if the user named a different document. */
function isDefaultFileMissing({ kind, body }: SvcmError, root: string): boolean {
  const { code, path } = body;
  if (code === "SUITE_FILE_NOT_FOUND") return path === `${root}/deployments.yaml`;
  // PROCESS_NOT_FOUND has a path only if an ecosystem file is missing.
  return code === "ENV_FILE_NOT_FOUND" || (kind === "PROCESS_NOT_FOUND" && path !== undefined);
}
