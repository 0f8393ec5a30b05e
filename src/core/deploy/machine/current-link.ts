/** The link `current` of a deploy root. */
import { lstatSync, realpathSync } from "node:fs";
import { readFile, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SvcmError } from "../../api/errors.ts";
import { readIfReadable } from "../../files/system.ts";
import type { ForeignRelease } from "../../rollout/port-deployed.ts";
import { deployOfLink, type Layout } from "../layout.ts";
import type { LinkMove } from "../port-deploys.ts";

/** In which Capistrano names the commit of a release. */
export const REVISION_FILE = "REVISION";

export async function readForeign({ current }: Layout): Promise<ForeignRelease | null> {
  const target = await readlink(current).catch(() => null);
  if (target === null || deployOfLink(target) !== null) return null;
  return { folder: target, commit: readRevision(current) };
}

export function readRevision(folder: string): string | null {
  const text = readIfReadable(join(folder, REVISION_FILE)).trim();
  return /^[0-9a-f]{40,64}$/.test(text) ? text : null;
}

/** Without a release of svcm before, `current` leads again to where another tool left it. */
export async function switchCurrent(layout: Layout, id: string | null): Promise<void> {
  const { current } = layout;
  const { from, to } = await planSwitch(layout, id);
  if (isForeign(from)) await writeFile(foreignPath(layout), from, { mode: 0o600, flush: true });
  if (to === null) return await rm(current, { force: true });
  const next = `${current}.new`;
  await rm(next, { force: true });
  await symlink(to, next);
  await rename(next, current);
}

/** @throws {SvcmError} DEPLOY_REFUSED with DEPLOY_ROOT_UNUSABLE if `current` is not a link */
export async function planSwitch(layout: Layout, id: string | null): Promise<LinkMove> {
  requireLink(layout);
  const from = await readlink(layout.current).catch(() => null);
  if (id !== null) return { from, to: `releases/${id}` };
  return { from, to: isForeign(from) ? from : await readFile(foreignPath(layout), "utf8").catch(() => null) };
}

/** A folder, for example, cannot be switched. @throws {SvcmError} DEPLOY_REFUSED with DEPLOY_ROOT_UNUSABLE */
export function requireLink({ current }: Layout): void {
  const present = lstatSync(current, { throwIfNoEntry: false });
  if (present === undefined || present.isSymbolicLink()) return;
  throw new SvcmError("DEPLOY_REFUSED", {
    code: "DEPLOY_ROOT_UNUSABLE",
    path: current,
    details: `${current} is not a symbolic link, so it cannot be switched. Accepted: a link, or nothing.`,
  });
}

/** PM2 and the kernel name real paths, so no process would seem to run in such a release. */
export function requireRealReleases({ root, releases }: Layout): void {
  const real = realpathSync(releases);
  if (real === releases) return;
  throw new SvcmError("DEPLOY_REFUSED", {
    code: "DEPLOY_ROOT_UNUSABLE",
    path: releases,
    details: `${releases} leads to ${real}. Accepted: a folder in ${root} itself.`,
    hint: "To keep releases on another disk, name a folder of that disk as deploy.root in svcm.yaml.",
  });
}

function isForeign(target: string | null): target is string {
  return target !== null && deployOfLink(target) === null;
}

function foreignPath({ records }: Layout): string {
  return join(records, "foreign-current");
}
