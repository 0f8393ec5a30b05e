import { SvcmError } from "../api/errors.ts";
import type { InputOf } from "../api/inputs.ts";
import { resolvePath } from "../project/resolve.ts";
import { type DeployContext, note, requestOf } from "./deploy-context.ts";
import { chooseSource, findCommit, findUnpushed, folderOnly, type FoundCommit } from "./find-commit.ts";
import type { DeployCode, ReleaseWorld } from "./port-deploys.ts";
import { isPrepared, toPlace, type DeployRecord, chooseDeploy } from "./record.ts";
import { hasPresentValues } from "./run-commands.ts";
import { readEcosystem } from "../pm2/ecosystem-file.ts";
import { listOrEmpty } from "../pm2/list.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { isBelow } from "../running/code-files.ts";
import { deployOfPath, type Layout, isNoData } from "./layout.ts";
import { computePlan } from "../rollout/planning.ts";
import { andMore, baseName, nameList } from "../words/text.ts";
import type { LoadedEcosystem } from "../pm2/loaded.ts";
import { normaliseApp } from "../pm2/normalise.ts";

export interface NewRelease extends DeployCode {
  readonly records: readonly DeployRecord[];
}

/** Fetches a commit, or reads a release file. @throws {SvcmError} DEPLOY_FAILED, NOT_FOUND */
export async function findCode(
  context: DeployContext,
  { revision, from }: Pick<InputOf<"deploy.plan">, "revision" | "from">,
): Promise<DeployCode> {
  const { ports, caller, settings, deploys, root } = context;
  if (from !== undefined) {
    caller.say?.(`read: ${from}`);
    return await deploys.releaseFile(resolvePath(ports.workspace.root, from), root.layout);
  }
  const git = deploys.git(root.layout.repository);
  const checkout = await git.readCheckout().catch((error: unknown) => {
    if (settings.source === undefined) throw withoutCheckout(error);
    return folderOnly(root.realPath(ports.workspace.root));
  });
  const source = chooseSource(checkout, settings.source, ports.workspace.root);
  caller.say?.(`fetch: ${source.remote ?? (source.kind === "path" ? source.url : "the source")}`);
  const options = { timeoutMs: settings.timeoutMs, signal: caller.signal };
  const request = { revision, source, checkout };
  const found = await findCommit(git, request, options);
  const unpushed = await findUnpushed(git, request, found);
  if (unpushed !== undefined)
    note(
      context,
      `The checkout has the commit ${unpushed.slice(0, 7)}, which no branch or tag of ${source.remote} has. It is not deployed: this deploy is of ${found.commit.slice(0, 7)}.`,
    );
  return { found, git, checkout };
}

/** A release of another tool, for example, has no Git. Nothing was done yet. */
function withoutCheckout(error: unknown): unknown {
  if (!(error instanceof SvcmError)) return error;
  const { code, hint, ...rest } = error.body;
  const isFolder = code === "GIT_NO_REPOSITORY";
  return new SvcmError("DEPLOY_FAILED", {
    ...rest,
    ...(isFolder ? { code: "DEPLOY_SOURCE_UNKNOWN" } : { code, hint }),
  });
}

/** Of the same commit, so nothing is built twice. */
export async function findPrepared(context: DeployContext, { commit }: FoundCommit): Promise<DeployRecord | undefined> {
  const { root, caller, deploys } = context;
  for (const record of await root.records()) {
    if (record.commit !== commit || !isPrepared(record)) continue;
    if (!(await root.exists(`${root.layout.releases}/${record.id}`))) continue;
    if (!(await hasPresentValues(context, deploys.world(toPlace(root.layout, record)), record.values))) {
      note(context, `${record.id} was built with other values of deploy.env, so ${commit.slice(0, 7)} is built again.`);
      continue;
    }
    if (!(await isAsPrepared(context, record))) continue;
    caller.say?.(`files: ${commit.slice(0, 7)} is prepared already in ${root.layout.releases}/${record.id}`);
    return record;
  }
  return undefined;
}

/** Its name promises the commit. A changed folder whose apps run is only named, because nothing would restart them. */
async function isAsPrepared(context: DeployContext, record: DeployRecord): Promise<boolean> {
  const { root, deploys } = context;
  const changed = await root.changedFiles(record.id);
  if (changed.length === 0) return true;
  const commit = record.commit.slice(0, 7);
  const what = `${root.layout.releases}/${record.id} was changed after it was prepared: ${nameList(changed, MAX_CHANGED)}.`;
  const isCurrent = record.state === "done" && record.id === (await root.current());
  if (isCurrent && !(await computePlan(deploys.world(toPlace(root.layout, record)), requestOf(context))).plan.changed) {
    note(
      context,
      `RELEASE_CHANGED: ${what} Its apps run the folder as it is. To run ${commit} alone, put the files back, and restart the apps.`,
    );
    return true;
  }
  note(context, `${what} It stays as it is, and ${commit} is prepared again.`);
  return false;
}

const MAX_CHANGED = 5;

/** Files of the checkout that a release lacks. An app without its database starts, and looks healthy. */

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
  // The deploy root may lie in the checkout.
  const top = root.realPath(ports.workspace.root);
  const own = isBelow(root.layout.root, top) ? [root.layout.root.slice(top.length + 1)] : [];
  for (const path of await git.listOthers([...settings.shared, ...own]))
    if (!(await root.exists(`${world.workspace.root}/${path}`))) lacking.push(path);
  const left = [...settings.left, ...own];
  const undecided = filterUndecided([...lacking, ...(await listChanged(context))], { ...settings, left });
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
