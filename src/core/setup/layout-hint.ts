import type { HasFacts, HasWorkspace } from "../project/port-repository.ts";
import type { HasStamps } from "../files/ports.ts";
import type { HasEcosystems } from "../pm2/ports.ts";
import { isPm2Name } from "../pm2/pm2-names.ts";
import { SvcmError } from "../api/errors.ts";

import { isEnvName } from "../words/environment-names.ts";
import { resolvePath } from "../project/resolve.ts";

const MAX_LISTED = 4;

type HintPorts = HasEcosystems & HasFacts & HasStamps & HasWorkspace;

/**
 * The next step for a repository without `svcm.yaml` that has PM2 or env files in another layout, or has nothing.
 * `undefined` for any other repository.
 */
export async function layoutHint(ports: HintPorts): Promise<string | undefined> {
  const { facts, workspace } = ports;
  if ((await facts.project().catch(() => null)) !== undefined) return undefined;
  return (await foundHint(ports)) ?? (isBare(ports) ? bareHint(workspace.root) : undefined);
}

async function foundHint({ ecosystems, workspace }: HasEcosystems & HasWorkspace): Promise<string | undefined> {
  const names = await ecosystems.list(workspace.root).catch(() => []);
  const found = names.filter((name) => isPm2Name(name) || isEnvName(name)).toSorted();
  if (found.length === 0) return undefined;
  const more = found.length > MAX_LISTED ? ", ..." : "";
  return `Found here: ${found.slice(0, MAX_LISTED).join(", ")}${more}. To use them, run: svcm init`;
}

/** A variable that names a folder has been set for a reason. */
function isBare({ stamps, workspace }: HasStamps & HasWorkspace): boolean {
  const { configDir, pm2Dir, folderVariables } = workspace;
  return Object.keys(folderVariables).length === 0 && stamps.missing([configDir, pm2Dir]).size === 2;
}

function bareHint(root: string): string {
  return `${root} itself has no svcm.yaml, ecosystem file or env file. Name the folder of your apps with --root, or run svcm init, which looks below this one, too.`;
}

/** Adds that next step to an error that reports a missing file of svcm's default layout. */
export async function withLayoutHint(ports: HintPorts, error: unknown): Promise<unknown> {
  if (!(error instanceof SvcmError) || !isDefaultFileMissing(error, ports.workspace.root)) return error;
  const { code, path } = error.body;
  const hint =
    code === "SUITE_FILE_NOT_FOUND"
      ? await documentHint(ports)
      : ((await layoutHint(ports)) ?? (await templateHint(ports, path)));
  return hint === undefined ? error : new SvcmError(error.kind, { ...error.body, hint });
}

/** In a repository with `svcm.yaml`, `validate` was meant for what it declares. A new document needs nothing else. */
async function documentHint(ports: HasEcosystems & HasFacts & HasWorkspace): Promise<string | undefined> {
  const project = await ports.facts.project().catch(() => null);
  if (project === undefined) return await foundHint(ports);
  return project === null
    ? undefined
    : "svcm check checks what this repository declares. Only Declare commands need a deployments.yaml: svcm targets add creates it.";
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
