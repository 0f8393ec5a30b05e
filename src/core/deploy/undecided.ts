/** Files of the checkout that a release lacks. An app without its database starts, and looks healthy. */
import { SvcmError } from "../api/errors.ts";
import { readEcosystem } from "../pm2/ecosystem-file.ts";
import { listOrEmpty } from "../pm2/list.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { isBelow } from "../running/code-files.ts";
import { baseName } from "../words/path.ts";
import { chooseDeploy } from "./record.ts";
import { note, requestOf, type DeployContext } from "./deploy-context.ts";
import { deployOfPath, type Layout, isNoData } from "./layout.ts";
import type { NewRelease } from "./find-code.ts";
import type { ReleaseWorld } from "./port-deploys.ts";
import { andMore } from "../words/text.ts";
import type { LoadedEcosystem } from "../pm2/loaded.ts";
import { normaliseApp } from "../pm2/normalise.ts";

/** Of PM2, also outside of a folder for logs. */
const OUTPUT = /\.(?:log|pid)$/i;
const MAX_NAMED = 10;

/**
 * While an app of the release runs in the checkout, every file there that the release lacks must be shared or left.
 * @throws {SvcmError} DEPLOY_FAILED with DEPLOY_UNDECIDED
 */
export async function requireDecided(
  context: DeployContext,
  { git, checkout }: Pick<NewRelease, "git" | "checkout">,
  world: ReleaseWorld,
): Promise<void> {
  const { ports, root, service } = context;
  const place = { top: checkout.top, layout: root.layout, realPath: (path: string) => root.realPath(path) };
  const inPlace = runningIn(await listOrEmpty(ports.processes), place);
  if (inPlace.length === 0) return;
  const { loaded } = await readEcosystem(world, requestOf(context));
  const moved = new Set(loaded === undefined ? [] : appNames(loaded));
  const apps = inPlace.filter((name) => moved.has(name));
  if (apps.length === 0) return;
  const { settings } = chooseDeploy(await world.facts.project(), service);
  const lacking: string[] = [];
  for (const path of await git.listOthers(settings.shared))
    if (!(await root.exists(`${world.workspace.root}/${path}`))) lacking.push(path);
  const undecided = filterUndecided([...lacking, ...(await listChanged(context))], settings);
  if (!context.isAdopting) return requireNone(undecided, apps);
  note(context, `${apps.join(", ")} in ${checkout.top} will run in the release. Nothing is moved.`);
  for (const path of settings.shared) note(context, `shared: ${path}, which stays where it is`);
  for (const path of undecided) note(context, `undecided: ${path}; name it in deploy.shared or deploy.left`);
}

interface Place {
  /** Without links. */
  readonly top: string;
  readonly layout: Pick<Layout, "releases">;
  readonly realPath: (path: string) => string;
}

/** The names of apps that run in the checkout itself, also if PM2 knows it by a link. */
export function runningIn(processes: readonly ProcessRecord[], { top, layout, realPath }: Place): string[] {
  const isIn = (path: string | null): boolean => {
    if (path === null) return false;
    const real = realPath(path);
    return (real === top || isBelow(real, top)) && deployOfPath(layout, `${real}/`) === undefined;
  };
  return [...new Set(processes.filter(({ cwd, script }) => isIn(cwd) || isIn(script)).map(({ name }) => name))];
}

/** @param paths below the repository root; a folder ends with a slash */
export function filterUndecided(
  paths: readonly string[],
  { shared, left }: { readonly shared: readonly string[]; readonly left: readonly string[] },
): string[] {
  return paths.filter((path) => {
    const name = path.replace(/\/$/, "");
    if (isNoData(baseName(name)) || OUTPUT.test(name)) return false;
    return ![...shared, ...left].some((decided) => name === decided || isBelow(name, decided));
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

function requireNone(paths: readonly string[], apps: readonly string[]): void {
  if (paths.length === 0) return;
  const named = [...paths.slice(0, MAX_NAMED), ...andMore(paths.length - MAX_NAMED)];
  throw new SvcmError("DEPLOY_FAILED", {
    code: "DEPLOY_UNDECIDED",
    details: [
      `${apps.slice(0, 3).join(", ")} ${apps.length === 1 ? "runs" : "run"} in the checkout, which has files that the release lacks:`,
      ...named.map((line) => `  ${line}`),
    ].join("\n"),
    hint: "Name those that an app reads or writes in deploy.shared of svcm.yaml, and the others in deploy.left. Commit and push it.",
  });
}

/** In the order of the file. */
export function appNames({ apps }: LoadedEcosystem): string[] {
  return apps.map(({ fields }) => normaliseApp(fields).name);
}
