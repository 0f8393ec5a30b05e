import { SvcmError } from "../api/errors.ts";
import { declaredApps } from "../pm2/declared.ts";
import type { LoadedEcosystem } from "../pm2/loaded.ts";
import type { DeploySettings } from "../project/deploy-settings.ts";
import { PROJECT_FILE } from "../project/project.ts";
import { envLayerPaths } from "../project/env-layers.ts";
import { resolvePath } from "../project/resolve.ts";
import { readStartCommand, startCommand } from "../running/env-files.ts";
import { ownMember } from "../words/record.ts";
import { checkRelease, requireCommitted } from "./check-release.ts";
import {
  chooseDeploy,
  servicesOf,
  type DeployHead,
  type DeployRecord,
  type PreparedEvent,
  toDeployRecord,
  toPlace,
} from "./record.ts";
import { note, requireNotStopped, type DeployContext } from "./deploy-context.ts";
import { createDeployId } from "./layout.ts";
import type { CommitFacts } from "./port-deploy-git.ts";
import type { DeployRoot, DiskSize, NotedApp, ReleaseWorld, SharedPath } from "./port-deploys.ts";
import { type NewRelease, requireDecided } from "./find-code.ts";
import { type CurrentChanges, meanwhileText, untouched } from "./refusals.ts";
import { runReleaseCommands } from "./run-commands.ts";

/** Room for what a build writes beside the files that it leaves. */
const SPACE_FACTOR = 1.2;
const MAX_SIZE: DiskSize = { bytes: 2 * 2 ** 30, files: 300_000 };

/**
 * Makes the folder of a release beside the running one, and checks it. After a failure the folder is removed, and
 * nothing that runs was touched.
 * @throws {SvcmError} DEPLOY_FAILED
 */
export async function prepareRelease(context: DeployContext, release: NewRelease): Promise<DeployRecord> {
  const { root } = context;
  const { git, found, records } = release;
  const facts = await git.readCommit(found.commit);
  await requireSpace(context, release);
  const head = createHead(
    context,
    release,
    facts,
    createDeployId(context.ports.clock.now(), found.commit, new Set(records.map(({ id }) => id))),
  );
  await root.append(head.id, head);
  const changesOfCurrent = await watchCurrent(root);
  try {
    const filled = await fillFolder(context, release, facts, head.id);
    const changes = await changesOfCurrent();
    if (changes.meanwhile.length > 0) note(context, meanwhileText(changes));
    const at = new Date(context.ports.clock.now()).toISOString();
    const prepared = { event: "prepared", at, ...filled } as const;
    await root.append(head.id, prepared);
    return toDeployRecord([head, prepared]) ?? unreachable();
  } catch (error) {
    await root.remove(head.id).catch(() => undefined);
    await endFailed(context, head, error);
    throw untouched(error, await changesOfCurrent());
  }
}

/**
 * Env files, and files beside those that Git knows, may have changed since a release was prepared, perhaps for another
 * service.
 * @throws {SvcmError} DEPLOY_FAILED
 */
export async function checkPrepared(
  context: DeployContext,
  { git, checkout }: Pick<NewRelease, "git" | "checkout">,
  record: DeployRecord,
): Promise<void> {
  const { root, deploys } = context;
  const world = deploys.world(toPlace(root.layout, record));
  await requireDecided(context, { git, checkout }, world);
  if (record.id === (await root.current())) return;
  try {
    await createOutputFolders(context, await checkRelease(context, world));
  } catch (error) {
    throw untouched(error);
  }
}

function unreachable(): never {
  throw new Error("a record with its first event");
}

function createHead(
  { ports, caller, environment, spellings }: DeployContext,
  { found, checkout }: NewRelease,
  { subject }: CommitFacts,
  id: string,
): DeployHead {
  const { source, actor } = caller;
  const by = { source, ...(actor !== undefined && { actor }) };
  const { top, prefix } = checkout;
  const at = new Date(ports.clock.now()).toISOString();
  return { event: "begin", id, ...found, subject, environment, spellings, by, at, checkout: top, prefix };
}

async function endFailed({ ports, root }: DeployContext, { id }: DeployHead, error: unknown): Promise<void> {
  const at = new Date(ports.clock.now()).toISOString();
  const reason = error instanceof SvcmError ? (error.body.details ?? error.message) : "a defect of svcm";
  await root
    .append(id, { event: "end", outcome: "failed", at, reason: reason.split("\n", 1).join() })
    .catch(() => undefined);
}

async function watchCurrent(root: DeployRoot): Promise<() => Promise<CurrentChanges>> {
  const current = await root.current();
  const list = async (): Promise<string[]> => {
    if (current === null) return [];
    const lists = [root.changedFiles(current), root.addedPrograms(current)];
    return (await Promise.all(lists.map((one) => one.catch(() => [])))).flat();
  };
  const before = await list();
  return async () => ({ before, meanwhile: (await list()).filter((name) => !before.includes(name)) });
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}

async function requireSpace({ root, ports }: DeployContext, { records, checkout }: NewRelease): Promise<void> {
  const last = records.find(({ size, state }) => size !== null && state !== "pruned")?.size;
  const size = last ?? (await root.measure(checkout.top));
  const like = last ? "like the last one" : "as large as the checkout";
  const [free, needed] = [await root.room(), { bytes: size.bytes * SPACE_FACTOR, files: size.files * SPACE_FACTOR }];
  const lacksFiles = free.files !== undefined && free.files < needed.files;
  if (free.bytes >= needed.bytes && !lacksFiles) return;
  const what = lacksFiles
    ? `${Math.round(needed.files)} more files, and ${free.files} are free`
    : `${mebibytes(needed.bytes)} MiB, and ${mebibytes(free.bytes)} MiB are free`;
  throw new SvcmError("DEPLOY_IMPOSSIBLE", {
    code: "DEPLOY_NO_SPACE",
    path: root.layout.root,
    details: `A release ${like} needs ${what} in ${root.layout.root}.\nNothing that runs was touched.`,
    hint: `Free some space, or keep fewer releases with deploy.keep in ${resolvePath(ports.workspace.root, PROJECT_FILE)}.`,
  });
}

async function fillFolder(
  context: DeployContext,
  release: NewRelease,
  facts: CommitFacts,
  id: string,
): Promise<Omit<PreparedEvent, "event" | "at">> {
  const { root, caller, deploys } = context;
  const { layout } = root;
  const { found, git, checkout } = release;
  const place = { layout, id, prefix: checkout.prefix, commit: found.commit, checkout: checkout.top };
  const top = `${layout.releases}/${id}`;
  requireWhole(facts.submodules, "SUBMODULE_UNSUPPORTED", "submodules, which svcm does not fetch");
  caller.say?.(`files: ${found.commit.slice(0, 7)} to ${top}`);
  await root.createFolder(top);
  await git.write(found.commit, top, `${layout.records}/${id}.index`);
  if (found.digest === undefined) await root.writeRevision(id, found.commit, checkout.top);
  requireWhole(
    await root.findPointers(top, facts.lfsCandidates),
    "LFS_MISSING",
    "pointers of Git LFS without their content",
  );
  const world = deploys.world(place);
  await requireProjectFile(context, world);
  await requireCommitted(context, world);
  const chosen = chooseDeploy(await world.facts.project(), context.service);
  const settings = found.digest === undefined ? chosen.settings : await withoutBuild(context, chosen.settings, world);
  // Before the install, because its scripts may read them.
  const shared = await listShared(context, world, settings.shared);
  await root.share(id, shared);
  requireNotStopped(context);
  const values = await runReleaseCommands(context, { id, top, world, settings });
  requireNotStopped(context);
  const loaded = await checkRelease(context, world);
  await createOutputFolders(context, loaded);
  await requireDecided(context, release, world);
  const size = await root.measure(top);
  if (size.bytes > MAX_SIZE.bytes || size.files > MAX_SIZE.files)
    throw new SvcmError("DEPLOY_FAILED", {
      code: "EFBIG",
      path: top,
      details: `The release has ${mebibytes(size.bytes)} MiB in ${size.files} files. Accepted: at most ${mebibytes(MAX_SIZE.bytes)} MiB in ${MAX_SIZE.files} files.`,
    });
  await root.noteFiles(id, await listNotedApps(world, loaded));
  await root.sync(top);
  return { ...size, ...(values !== undefined && { values }) };
}

/** Also services that `--service` left out, because the folder is theirs, too. */
async function listNotedApps(
  { facts, files, host, stamps, workspace }: ReleaseWorld,
  loaded: LoadedEcosystem,
): Promise<NotedApp[]> {
  const services = (await facts.project())?.services ?? {};
  const folderOf = (service: string): string | undefined => {
    const folder = ownMember(services, service)?.folder ?? ".";
    return folder === "." ? undefined : resolvePath(workspace.root, folder);
  };
  const apps = declaredApps(loaded, { cpuCores: host.cpuCores(), pm2Home: workspace.pm2Home });
  const own = apps.map(async (app, index): Promise<NotedApp> => {
    const service = loaded.apps[index]?.start?.service ?? "";
    const { include = [], exclude = [] } = ownMember(services, service)?.code ?? {};
    const { compiled } = await readStartCommand({ files, stamps }, startCommand(app));
    return { cwd: app.cwd, script: app.script, folder: folderOf(service), include, exclude: [...exclude, ...compiled] };
  });
  const started = new Set(loaded.apps.map(({ start }) => start?.service));
  const others = Object.entries(services).flatMap(([name, { code }]): NotedApp[] => {
    const folder = folderOf(name);
    return folder === undefined || started.has(name) ? [] : [{ cwd: folder, script: folder, folder, ...code }];
  });
  return [...(await Promise.all(own)), ...others];
}

/** A release file is built. It may have its packages, too. */
async function withoutBuild(
  context: DeployContext,
  settings: DeploySettings,
  { facts, workspace }: ReleaseWorld,
): Promise<DeploySettings> {
  const services = servicesOf(await facts.project(), context).map(({ service }) => service.folder);
  const folders = [".", ...services].map((folder) => resolvePath(workspace.root, `${folder}/node_modules`));
  const present = await Promise.all(folders.map((folder) => context.root.exists(folder)));
  return { ...settings, build: false, ...(present.includes(true) && { install: false }) };
}

function requireWhole(paths: readonly string[], code: "SUBMODULE_UNSUPPORTED" | "LFS_MISSING", what: string): void {
  if (paths.length === 0) return;
  const named = paths.slice(0, 5).join(", ");
  throw new SvcmError("DEPLOY_FAILED", {
    code,
    details: `The commit has ${what}: ${named}. Their files would be missing.`,
  });
}

/** Without the file, svcm would look for other ecosystem files in the release than in the checkout. */
async function requireProjectFile({ ports, root }: DeployContext, { workspace }: ReleaseWorld): Promise<void> {
  if ((await ports.facts.project()) === undefined) return;
  if (await root.exists(`${workspace.root}/${PROJECT_FILE}`)) return;
  throw new SvcmError("DEPLOY_FAILED", {
    code: "DEPLOY_NOT_COMMITTED",
    details: `${PROJECT_FILE} is in the checkout and not in the commit or release file, and a release has nothing else.`,
    hint: `git add ${PROJECT_FILE}, commit it with the ecosystem files, and push. A release file needs it, too.`,
  });
}

/** Env files that the repository declares and does not commit are shared without being named. */
async function listShared(
  context: DeployContext,
  world: ReleaseWorld,
  declared: readonly string[],
): Promise<SharedPath[]> {
  const { ports, root, environment } = context;
  const [project, contract] = await Promise.all([world.facts.project(), world.facts.runtimeContract()]);
  const own = world.workspace.root;
  const below = own === world.paths.release ? "" : `${own.slice(world.paths.release.length + 1)}/`;
  const toShared = (path: string): SharedPath => ({
    path: `${below}${path}`,
    former: `${ports.workspace.root}/${path}`,
  });
  const services = project === undefined ? [""] : servicesOf(project, context).map(({ name }) => name);
  const layers = services.flatMap((name) => envLayerPaths(world.workspace, { project, contract }, environment, name));
  const inside = layers.filter((path) => path.startsWith(`${own}/`)).map((path) => path.slice(own.length + 1));
  const implied: string[] = [];
  for (const path of new Set(inside)) {
    if (declared.includes(path) || (await root.exists(`${own}/${path}`))) continue;
    const isShared = await root.hasEntry(`${root.layout.shared}/${below}${path}`);
    if (isShared || (await root.exists(`${ports.workspace.root}/${path}`))) implied.push(path);
  }
  for (const path of implied)
    note(context, `${path} is not in the commit, so it is shared: ${root.layout.shared}/${below}${path}`);
  return [...declared, ...implied].map(toShared);
}

/** PM2 writes logs of all releases into one folder, which no pruning removes. */
async function createOutputFolders({ root }: DeployContext, { apps }: LoadedEcosystem): Promise<void> {
  const { shared } = root.layout;
  const paths = apps.flatMap(({ fields }) => Object.values(fields)).filter((value) => typeof value === "string");
  const folders = paths
    .filter((path) => path.startsWith(`${shared}/`))
    .map((path) => path.slice(0, path.lastIndexOf("/")));
  for (const folder of new Set(folders)) await root.createFolder(folder);
}
