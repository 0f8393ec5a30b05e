import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isNoData, DEPLOY_ID, type Layout } from "../layout.ts";
import type { DiskSize } from "../port-deploys.ts";
import { lstat, readdir, rm } from "node:fs/promises";
import { listIfReadable } from "../../files/system.ts";

const MAX_ENTRIES = 600_000;
const POINTER = "version https://git-lfs.github.com/spec/";

interface Entry {
  readonly path: string;
  readonly isFolder: boolean;
}

export function* walk(folder: string, enters: (name: string, path: string) => boolean): Generator<Entry> {
  const pending = [folder];
  let count = 0;
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    for (const entry of readdirSync(place, { withFileTypes: true })) {
      const path = join(place, entry.name);
      count += 1;
      if (count > MAX_ENTRIES) return;
      yield { path, isFolder: entry.isDirectory() };
      if (entry.isDirectory() && enters(entry.name, path)) pending.push(path);
    }
  }
}

export function measureFolder(folder: string): DiskSize {
  let [bytes, files] = [0, 0];
  for (const { path } of walk(folder, (name) => name !== ".git" && name !== ".svcm")) {
    files += 1;
    bytes += (lstatSync(path, { throwIfNoEntry: false })?.blocks ?? 0) * 512;
  }
  return { bytes, files };
}

/** Without packages, caches and logs. */
export function listFiles(root: string): string[] {
  const entries = [...walk(root, (name) => !isNoData(name))];
  return entries.filter(({ isFolder }) => !isFolder).map(({ path }) => path.slice(root.length + 1));
}

export function readPointers(folder: string, paths: readonly string[]): string[] {
  return paths.filter((path) => readFileSync(join(folder, path), "latin1").startsWith(POINTER));
}

/** The working folders of the processes that this user may see. */
export function workingFolders(): { readonly pid: number; readonly folder: string }[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      return [{ pid: Number(pid), folder: readlinkSync(`/proc/${pid}/cwd`) }];
    } catch {
      return []; // ended, or of another user
    }
  });
}

/** Of a folder that is being removed. */
export const TRASH = ".trash-";

export async function removeLeftovers({ current, releases, records, repository }: Layout): Promise<void> {
  await rm(`${current}.new`, { force: true });
  const recorded = new Set(await readdir(records).catch(() => []));
  for (const name of recorded)
    if (name.endsWith(".index") || name.endsWith(".index.lock") || name.endsWith(".tar"))
      await rm(join(records, name), { force: true });
  for (const name of await readdir(releases).catch(() => [])) {
    const isUnrecorded =
      DEPLOY_ID.test(name) && !recorded.has(`${name}.jsonl`) && (await isEmptyFolder(join(releases, name)));
    if (name.startsWith(TRASH) || isUnrecorded) rmSync(join(releases, name), { recursive: true, force: true });
  }
  await removeLocks(repository);
}

/** No Git of svcm runs now: the deploy lock is held. */
async function removeLocks(repository: string): Promise<void> {
  const refs = existsSync(join(repository, "refs")) ? [...walk(join(repository, "refs"), () => true)] : [];
  const names = [...listIfReadable(repository).map((name) => join(repository, name)), ...refs.map(({ path }) => path)];
  for (const name of names) if (name.endsWith(".lock")) await rm(name, { force: true });
}

/** The record is written first, so an unrecorded folder is a foreign one, unless nothing is in it. */
async function isEmptyFolder(path: string): Promise<boolean> {
  const stats = await lstat(path);
  return stats.isDirectory() && listIfReadable(path).length === 0;
}
