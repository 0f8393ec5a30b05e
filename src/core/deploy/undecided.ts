/** Files of the checkout that a release lacks. An app without its database starts, and looks healthy. */
import { SvcmError } from "../api/errors.ts";
import { listOrEmpty } from "../pm2/list-or-empty.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { DeploySettings } from "../project/deploy-settings.ts";
import type { DeployContext } from "./deploy-context.ts";
import { deployOfPath } from "./layout.ts";
import type { NewRelease } from "./new-release.ts";
import type { ReleaseWorld, SharedPath } from "./port-deploys.ts";

/** Packages, caches and logs, which an app makes again. */
const NO_DATA =
  /(?:^|\/)(?:node_modules|\.svcm|\.cache|\.npm|__pycache__|logs?|te?mp|[\w.-]*cache)\/?$|\.(?:log|pid)$/i;
const MAX_NAMED = 10;

export interface DecidedPaths {
  readonly settings: DeploySettings;
  readonly shared: readonly SharedPath[];
}

/**
 * At the first deploy of apps that run in the checkout, every file there that the release lacks must be shared or left.
 * @throws {SvcmError} DEPLOY_FAILED with DEPLOY_UNDECIDED
 */
export async function requireDecided(
  context: DeployContext,
  { git, checkout, records }: NewRelease,
  world: ReleaseWorld,
  { settings, shared }: DecidedPaths,
): Promise<void> {
  const { ports, root } = context;
  if (records.some(({ state }) => state === "done" || state === "half")) return;
  const inPlace = runningIn(await listOrEmpty(ports.processes), checkout.top, root.layout);
  if (inPlace.length === 0) return;
  const below = world.workspace.root.slice(world.paths.release.length + 1);
  const sharedPaths = shared.map(({ path }) => (below === "" ? path : path.slice(below.length + 1)));
  const answered = { shared: sharedPaths, left: settings.left };
  const others = await git.listOthers(answered.shared);
  const lacking: string[] = [];
  for (const path of others) if (!(await root.exists(`${world.workspace.root}/${path}`))) lacking.push(path);
  const undecided = [...filterUndecided(lacking, answered), ...filterUndecided(await listChanged(context), answered)];
  if (undecided.length > 0) throw undecidedError(undecided, inPlace);
}

export function runningIn(
  processes: readonly ProcessRecord[],
  top: string,
  layout: { readonly releases: string },
): string[] {
  const isIn = (path: string | null): boolean =>
    path !== null && `${path}/`.startsWith(`${top}/`) && deployOfPath(layout, path) === undefined;
  return [...new Set(processes.filter(({ cwd, script }) => isIn(cwd) || isIn(script)).map(({ name }) => name))];
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** @param paths below the repository root; a folder ends with a slash */
export function filterUndecided(
  paths: readonly string[],
  { shared, left }: { readonly shared: readonly string[]; readonly left: readonly string[] },
): string[] {
  return paths.filter((path) => {
    const name = path.replace(/\/$/, "");
    return !NO_DATA.test(path) && ![...shared, ...left].some((decided) => isBelow(name, decided));
  });
}

/** Tracked files whose bytes differ from the commit of the checkout: an app may write them. */
async function listChanged({ ports }: DeployContext): Promise<string[]> {
  const { workspace, revisions } = ports;
  const { root } = workspace;
  const state = await revisions.readState(async () =>
    (await revisions.listTracked([root])).map((name) => `${root}/${name}`),
  );
  return (state?.dirty ?? []).map((path) => path.slice(root.length + 1));
}

function undecidedError(paths: readonly string[], apps: readonly string[]): SvcmError {
  const named = paths.slice(0, MAX_NAMED).map((path) => `  ${path}`);
  const more = paths.length > MAX_NAMED ? [`  and ${paths.length - MAX_NAMED} more`] : [];
  return new SvcmError("DEPLOY_FAILED", {
    code: "DEPLOY_UNDECIDED",
    details: [
      `${apps.slice(0, 3).join(", ")} ${apps.length === 1 ? "runs" : "run"} in the checkout, which has files that the release lacks:`,
      ...named,
      ...more,
    ].join("\n"),
    hint: "Name those that an app reads or writes in deploy.shared of svcm.yaml, and the others in deploy.left. Commit and push it.",
  });
}
