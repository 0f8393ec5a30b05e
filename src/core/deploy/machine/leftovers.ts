import { rmSync } from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { listIfReadable } from "../../files/system.ts";
import { DEPLOY_ID, type Layout } from "../layout.ts";

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
  // No Git of svcm runs now: the deploy lock is held.
  const locks = ["", "refs/heads", "refs/tags", "refs/svcm"].flatMap((folder) =>
    listIfReadable(join(repository, folder))
      .filter((name) => name.endsWith(".lock"))
      .map((name) => join(repository, folder, name)),
  );
  for (const lock of locks) await rm(lock, { force: true });
}

/** The record is written first, so an unrecorded folder is a foreign one, unless nothing is in it. */
async function isEmptyFolder(path: string): Promise<boolean> {
  const stats = await lstat(path);
  return stats.isDirectory() && listIfReadable(path).length === 0;
}
