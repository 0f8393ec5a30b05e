import { appendFileSync, existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { SvcmError } from "../../api/errors.ts";
import { appendEvent, parseEvents } from "../../files/append.ts";
import { fileLocks, lockedSince } from "../../files/lock.ts";
import { FileError } from "../../files/ports.ts";
import { readRoom } from "../../files/host.ts";
import { readIfExists, readIfReadable, realPathIfReadable, systemCode } from "../../files/system.ts";
import { deployOfLink, layoutOf, type Layout } from "../layout.ts";
import type { DeployRoot, SharedPath } from "../port-deploys.ts";
import { toDeployRecord, type DeployEvent } from "../record.ts";
import { planSwitch, REVISION_FILE, readForeign, readRevision, switchCurrent } from "./current-link.ts";
import { removeLeftovers, TRASH, measureFolder, readPointers, workingFolders } from "./walk.ts";
import { addedPrograms, changedFiles, forgetFiles, noteFiles, writtenSince } from "./release-files.ts";
import { claimRoot, requireOwnProject } from "./root-owner.ts";
import { runCommand } from "./run-command.ts";
import { LOCKFILES } from "../../running/install-files.ts";
import { isInside } from "../../running/code-evidence.ts";
import { foreignCode } from "../../api/issue.ts";
import { shellQuote } from "../../words/text.ts";

const MAX_OUTPUT_BYTES = 2 ** 20;
const SYNC_MS = 60_000;

/** Without links, because PM2 and the kernel name real paths. The folder need not exist. */
export function realRoot(folder: string): string {
  if (existsSync(folder) || dirname(folder) === folder) return realpathSync(folder);
  return join(realRoot(dirname(folder)), basename(folder));
}

export function deployRoot(root: string): DeployRoot {
  const layout = layoutOf(root);
  const release = (id: string): string => join(layout.releases, id);
  const attempt = <T>(work: () => Promise<T>): Promise<T> => attemptDeploy(root, work);
  const outputSizes = new Map<string, number>();
  return {
    layout,
    withLock: (timeoutMs, work, signal) => withDeployLock(layout, { timeoutMs, signal }, work),
    lockedSince: () => attempt(() => lockedSince(lockPath(layout))),
    claim: (owner) => attempt(() => claimRoot(layout, owner)),
    requireOwn: (project) => attempt(() => requireOwnProject(layout, project)),
    records: () => attempt(() => readRecords(layout)),
    append: (id, event) => attempt(() => appendEvent(join(layout.records, `${id}.jsonl`), event)),
    appendOutput(id, line) {
      const size = (outputSizes.get(id) ?? 0) + Buffer.byteLength(line) + 1;
      outputSizes.set(id, size);
      if (size > MAX_OUTPUT_BYTES) return;
      appendIfPossible(join(layout.records, `${id}.log`), `${line}\n`);
    },
    current: async () => deployOfLink(await readlink(layout.current).catch(() => null)),
    foreign: () => readForeign(layout),
    writeRevision: (id, commit, checkout) => attempt(() => writeRevision(release(id), commit, checkout)),
    planSwitch: (id) => attempt(() => planSwitch(layout, id)),
    switchTo: (id) => attempt(() => switchCurrent(layout, id)),
    measure: (folder) => attempt(async () => measureFolder(folder)),
    room: () => attempt(async () => readRoom(root)),
    packageFolder: (folder) =>
      attempt(async () => ({
        folder,
        names: existsSync(folder) ? await readdir(folder) : [],
        packageText: (await readIfExists(join(folder, "package.json")))?.toString("utf8"),
      })),
    installFolder: async (top, folder) => findInstallFolder(top, folder),
    share: (id, paths) => attempt(() => sharePaths(layout, release(id), paths)),
    findPointers: (folder, paths) => attempt(async () => readPointers(folder, paths)),
    sync: syncFolder,
    exists: async (path) => existsSync(path),
    hasEntry: async (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined,
    realPath: realPathIfReadable,
    createFolder: (path) => attempt(async () => void (await mkdir(path, { recursive: true }))),
    noteFiles: (id, apps) => attempt(() => noteFiles(layout, id, apps)),
    changedFiles: (id) => attempt(() => changedFiles(layout, id, { withPackages: true })),
    addedPrograms: (id) => attempt(() => addedPrograms(layout, id)),
    writtenSince: (id, sinceMs) => attempt(() => writtenSince(layout, id, sinceMs)),
    inUse: (ids, dumpFile) => attempt(async () => findInUse(layout, ids, dumpFile)),
    remove: (id) => attempt(() => removeFolder(layout, id)),
    forget: (id) => attempt(() => forgetRecord(layout, id)),
    removeLeftovers: () => attempt(() => removeLeftovers(layout)),
  };
}

/** Kept for a reader; a full disk must not end the deploy here, because its commands report it. Together, lines would change places. */
function appendIfPossible(path: string, text: string): void {
  try {
    appendFileSync(path, text, { mode: 0o600 });
  } catch {
    // As above.
  }
}

async function syncFolder(folder: string): Promise<void> {
  const env = { PATH: process.env["PATH"] ?? "" };
  await runCommand(["sync", "-f", folder], { cwd: folder, env, timeoutMs: SYNC_MS });
}

function lockPath({ root }: Layout): string {
  return join(root, "deploy");
}

interface Wait {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

async function withDeployLock<T>(layout: Layout, { timeoutMs, signal }: Wait, work: () => Promise<T>): Promise<T> {
  const { root } = layout;
  const path = lockPath(layout);
  await attemptDeploy(root, () => mkdir(root, { recursive: true, mode: 0o755 }));
  try {
    return await fileLocks({ timeoutMs }).withLock({ target: path, path }, work, signal);
  } catch (error) {
    if (!(error instanceof FileError) || error.path !== path) throw error;
    if (error.code === "ELOCKED")
      throw new SvcmError("DEPLOY_LOCKED", { details: `A deploy or a rollback in ${root} runs: ${error.message}` });
    throw new SvcmError("DEPLOY_IMPOSSIBLE", { code: error.code, path: root, details: error.message });
  }
}

async function readRecords({ records }: Layout) {
  const names = await readdir(records).catch(() => []);
  const journals = names
    .filter((name) => name.endsWith(".jsonl"))
    .toSorted()
    .toReversed();
  const texts = await Promise.all(journals.map((name) => readFile(join(records, name), "utf8")));
  return texts.flatMap((text) => toDeployRecord(parseEvents<DeployEvent>(text)) ?? []);
}

async function writeRevision(folder: string, commit: string, checkout: string): Promise<void> {
  const path = join(folder, REVISION_FILE);
  if (!existsSync(path) && readRevision(checkout) !== null) await writeFile(path, `${commit}\n`);
}

async function forgetRecord({ records }: Layout, id: string): Promise<void> {
  for (const kind of ["log", "jsonl"]) await rm(join(records, `${id}.${kind}`), { force: true });
}

/** Processes of other users are not visible; their release is protected by PM2's list, which names it. */
function findInUse({ releases }: Layout, ids: readonly string[], dumpFile: string): Map<string, readonly number[]> {
  const dump = readIfReadable(dumpFile) + readIfReadable(`${dumpFile}.bak`);
  const places = workingFolders();
  return new Map(
    ids.flatMap((id) => {
      const folder = join(releases, id);
      const pids = places.flatMap((one) => (isInside(one.folder, folder) ? [one.pid] : []));
      return pids.length > 0 || dump.includes(folder) ? [[id, pids] as const] : [];
    }),
  );
}

async function removeFolder(layout: Layout, id: string): Promise<void> {
  const { releases } = layout;
  const trash = join(releases, `${TRASH}${id}`);
  const isThere = await rename(join(releases, id), trash).then(() => true, isMissing);
  if (isThere) await rm(trash, { recursive: true, force: true, maxRetries: 3 });
  forgetFiles(layout, id);
}

function isMissing(error: unknown): false {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
  throw error;
}

export async function sharePaths({ shared }: Layout, release: string, paths: readonly SharedPath[]): Promise<void> {
  for (const { path, former, isFolder = false } of paths) {
    const target = join(shared, path);
    if (!existsSync(target) && lstatSync(target, { throwIfNoEntry: false })) throw leadsNowhere(path, target, former);
    if (!existsSync(target)) {
      await mkdir(dirname(target), { recursive: true });
      if (existsSync(former)) await symlink(former, target);
      else if (isFolder) await mkdir(target);
      else throw unusable(path, `is neither in ${shared} nor in the checkout (${former}). Create it in one of them`);
    }
    const link = join(release, path);
    const obstacle = findObstacle(release, dirname(link));
    if (obstacle !== undefined)
      throw unusable(path, `cannot be linked into the release, because ${obstacle} is not a folder there`);
    await mkdir(dirname(link), { recursive: true });
    await rm(link, { recursive: true, force: true });
    await symlink(target, link);
  }
}

/** A file or a link where the release needs a folder. */
function findObstacle(release: string, folder: string): string | undefined {
  if (folder.length <= release.length) return undefined;
  const above = findObstacle(release, dirname(folder));
  if (above !== undefined) return above;
  return (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? true) ? undefined : folder;
}

/** It may be on a disk that is not mounted, so svcm does not choose another place. */
function leadsNowhere(path: string, target: string, former: string): SvcmError {
  const place = existsSync(former) ? former : "<the present place>";
  return unusable(
    path,
    `cannot be used, because ${target} leads to ${readlinkSync(target)}, which does not exist`,
    `If the checkout or the file was moved: ln -sfn ${shellQuote(place)} ${shellQuote(target)}`,
  );
}

function unusable(path: string, why: string, hint?: string): SvcmError {
  const details = `The shared path ${path} ${why}.`;
  return new SvcmError("DEPLOY_FAILED", {
    code: "SHARED_UNUSABLE",
    path,
    details,
    ...(hint !== undefined && { hint }),
  });
}

export function findInstallFolder(top: string, folder: string): string | undefined {
  for (let place = folder; place.length >= top.length; place = dirname(place))
    if (LOCKFILES.some((name) => existsSync(join(place, name)))) return place;
  return undefined;
}

/** Of package registries: an install must not print them. */
export function registrySecrets(folders: readonly string[]): string[] {
  const texts = folders.map((folder) => readIfReadable(join(folder, ".npmrc")));
  return texts.flatMap((text) =>
    [...text.matchAll(/^[^#;\n]*(?:_authToken|_password|_auth)\s*=\s*"?([^\s"]+)/gm)].map(([, value = ""]) => value),
  );
}

/** @throws {SvcmError} DEPLOY_IMPOSSIBLE with the code of the system */
export async function attemptDeploy<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error instanceof SvcmError) throw error;
    throw new SvcmError("DEPLOY_IMPOSSIBLE", { code: foreignCode(systemCode(error)), path, details: error.message });
  }
}
