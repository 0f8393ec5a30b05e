import { existsSync, lstatSync, readFileSync } from "node:fs";
import { mkdir, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SvcmError } from "../../api/errors.ts";
import { LOCKFILES } from "../../running/code-files.ts";
import type { Layout } from "../layout.ts";
import type { SharedPath } from "../port-deploys.ts";

export async function sharePaths({ shared }: Layout, release: string, paths: readonly SharedPath[]): Promise<void> {
  for (const { path, former, isFolder = false } of paths) {
    const target = join(shared, path);
    if (!lstatSync(target, { throwIfNoEntry: false })) {
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

function unusable(path: string, why: string): SvcmError {
  return new SvcmError("DEPLOY_FAILED", { code: "SHARED_UNUSABLE", path, details: `The shared path ${path} ${why}.` });
}

export function findInstallFolder(top: string, folder: string): string | undefined {
  for (let place = folder; place.length >= top.length; place = dirname(place))
    if (LOCKFILES.some((name) => existsSync(join(place, name)))) return place;
  return undefined;
}

/** Of package registries: an install must not print them. */
export function registrySecrets(folders: readonly string[]): string[] {
  const texts = folders.map((folder) => {
    try {
      return readFileSync(join(folder, ".npmrc"), "utf8");
    } catch {
      return "";
    }
  });
  return texts.flatMap((text) =>
    [...text.matchAll(/^[^#;\n]*(?:_authToken|_password|_auth)\s*=\s*"?([^\s"]+)/gm)].map(([, value = ""]) => value),
  );
}
