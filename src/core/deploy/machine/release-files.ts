/** The files of a release as it was prepared: a folder can be changed by hand, and its name still says the commit. */
import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readlinkSync, rmSync, writeFileSync, type Stats } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { readIfExists } from "../../files/system.ts";
import { mayBeCode } from "../../running/code-files.ts";
import { isNoData, type Layout } from "../layout.ts";
import { walk } from "./walk.ts";

/** By path: the time of the last change, and of code the content. */
type Noted = Readonly<Record<string, readonly [changedMs: number, content?: string]>>;

const MAX_FILES = 50_000;
const MAX_DIGESTED_BYTES = 16 * 2 ** 20;
const ANY = { named: new Set<string>(), scriptFolder: null, others: new Set<string>(), include: [], exclude: [] };
const OF_PROJECT = /(?:^|\/)(?:ecosystem[^/]*\.config\.[cm]?js(?:on)?|svcm\.yaml|deployments\.yaml)$/;

function isCode(path: string): boolean {
  return OF_PROJECT.test(path) || mayBeCode(path, ANY);
}

function notedPath({ records }: Pick<Layout, "records">, id: string): string {
  return join(records, `${id}.files`);
}

/** Of a release with too many files, nothing is noted. */
export function noteFiles(layout: Layout, id: string): void {
  const release = join(layout.releases, id);
  const noted: Record<string, Noted[string]> = {};
  let count = 0;
  for (const { path, isFolder } of walk(release, (name) => !isNoData(name))) {
    if (isFolder) continue;
    count += 1;
    if (count > MAX_FILES) return;
    const [name, stats] = [path.slice(release.length + 1), lstatSync(path)];
    noted[name] = isCode(name) ? [stats.ctimeMs, contentOf(path, stats)] : [stats.ctimeMs];
  }
  writeFileSync(notedPath(layout, id), gzipSync(JSON.stringify(noted)), { mode: 0o600 });
}

/** A digest of what the path holds or leads to. */
function contentOf(path: string, stats: Stats): string {
  if (stats.isSymbolicLink()) return `to ${readlinkSync(path)}`;
  if (!stats.isFile() || stats.size > MAX_DIGESTED_BYTES) return `${stats.mode} ${stats.size}`;
  return createHash("sha1").update(readFileSync(path)).digest("base64url");
}

/** Code that was changed or removed since. A file with its old time of change is not read. Empty if nothing was noted. */
export async function changedFiles(layout: Layout, id: string): Promise<string[]> {
  return Object.entries((await readNoted(layout, id)) ?? {}).flatMap(([name, [changedMs, content]]) => {
    const path = join(layout.releases, id, name);
    const stats = content === undefined ? undefined : lstatSync(path, { throwIfNoEntry: false });
    if (content === undefined) return [];
    if (stats === undefined) return [name];
    return stats.ctimeMs === changedMs || contentOf(path, stats) === content ? [] : [name];
  });
}

async function readNoted(layout: Layout, id: string): Promise<Noted | undefined> {
  const bytes = await readIfExists(notedPath(layout, id));
  return bytes && (JSON.parse(gunzipSync(bytes).toString("utf8")) as Noted);
}

/**
 * Files that were written since, apart from packages, caches and logs. Hard links of a package manager change those of
 * its files. A folder changes with what is created in it, so only files count.
 * @param sinceMs if nothing was noted; a clock may have been set back since
 */
export async function writtenSince(layout: Layout, id: string, sinceMs: number): Promise<string[]> {
  const release = join(layout.releases, id);
  const noted = await readNoted(layout, id);
  const isWritten = (name: string, { ctimeMs }: Stats): boolean =>
    noted === undefined ? ctimeMs > sinceMs : noted[name]?.[0] !== ctimeMs;
  const found: string[] = [];
  for (const { path, isFolder } of walk(release, (name) => !isNoData(name))) {
    const stats = isFolder ? undefined : lstatSync(path, { throwIfNoEntry: false });
    const name = path.slice(release.length + 1);
    if (stats?.isFile() === true && isWritten(name, stats)) found.push(name);
  }
  return found;
}

export function forgetFiles(layout: Layout, id: string): void {
  rmSync(notedPath(layout, id), { force: true });
}
