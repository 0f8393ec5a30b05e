/** The files of a release as it was prepared: a folder can be changed by hand, and its name still says the commit. */
import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
  type Stats,
} from "node:fs";
import { join, relative } from "node:path";
import { setImmediate as pause } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { isProgram, mayBeCode, type CodeRules, isBelow } from "../../running/code-files.ts";
import { findUnit, isInside, packageOf } from "../../running/code-evidence.ts";
import { readIfExists } from "../../files/system.ts";
import { isNoData, type Layout } from "../layout.ts";
import type { NotedApp } from "../port-deploys.ts";
import { walk } from "./walk.ts";

/** By path: the times of the last changes, of the content too, and of code that content. */
type Noted = Readonly<Record<string, readonly [changedMs: number, content?: string, modifiedMs?: number]>>;

/** Those of packages have a separate list, because a plan does not read it. */
type List = "files" | "packages";

const MAX_FILES = 50_000;
const MAX_DIGESTED_BYTES = 16 * 2 ** 20;
/** Files between two turns of a server. */
const FILES_PER_TURN = 500;
const ANY = { named: new Set<string>(), scriptFolder: null, others: new Set<string>(), include: [], exclude: [] };
const OF_PROJECT = /(?:^|\/)(?:ecosystem[^/]*\.config\.[cm]?js(?:on)?|svcm\.yaml|deployments\.yaml)$/;
const MODULES = "node_modules";

function notedPath({ records }: Pick<Layout, "records">, id: string, list: List): string {
  return join(records, `${id}.${list}`);
}

/** Of a release with too many files, only those of its packages are noted. */
export async function noteFiles(layout: Layout, id: string, apps: readonly NotedApp[]): Promise<void> {
  const release = join(layout.releases, id);
  const rules = apps.flatMap((app) => rulesOf(release, app));
  const noted: Record<List, Record<string, Noted[string]>> = { files: {}, packages: {} };
  const counts = { files: 0, packages: 0 };
  for (const { path, isFolder } of walk(release, (name) => !SKIPPED.has(name))) {
    if (isFolder) continue;
    const name = path.slice(release.length + 1);
    const list = isInPackages(name) ? "packages" : "files";
    counts[list] += 1;
    if ((counts.files + counts.packages) % FILES_PER_TURN === 0) await pause();
    const stats = lstatSync(path);
    if (isCode(name, rules)) noted[list][name] = [stats.ctimeMs, contentOf(path, stats), stats.mtimeMs];
    else if (mayBeData(name)) noted.files[name] = [stats.ctimeMs];
  }
  for (const list of ["files", "packages"] as const)
    if (list === "packages" || counts.files <= MAX_FILES)
      writeFileSync(notedPath(layout, id, list), gzipSync(JSON.stringify(noted[list])), { mode: 0o600 });
}

const SKIPPED: ReadonlySet<string> = new Set([".git", ".svcm", ".cache"]);

function isInPackages(name: string): boolean {
  return name.split("/").includes(MODULES);
}

interface UnitRules extends Pick<CodeRules, "include" | "exclude"> {
  /** Below the release. */
  readonly folder: string;
}

/** As a plan finds the unit of the app. */
function rulesOf(release: string, { cwd, script, folder, include, exclude }: NotedApp): UnitRules[] {
  const unit = findUnit({
    cwd: real(cwd),
    script: real(script),
    declaredCwd: cwd,
    declaredScript: script,
    serviceFolder: folder === undefined ? null : real(folder),
    root: release,
    hasPackage: (at) => existsSync(join(at, "package.json")),
  });
  return unit !== undefined && isInside(unit.folder, release)
    ? [{ folder: relative(release, unit.folder), include, exclude }]
    : [];
}

function real(path: string): string | null {
  return existsSync(path) ? realpathSync(path) : null;
}

/** A file of several units is code if it is code of one of them. */
function isCode(path: string, rules: readonly UnitRules[]): boolean {
  if (OF_PROJECT.test(path)) return true;
  if (!isInPackages(path) && !mayBeData(path) && !isProgram(path)) return false;
  const own = rules.filter(({ folder }) => isBelow(path, folder));
  if (own.length === 0) return mayBeCode(path, ANY);
  return own.some(({ folder, include, exclude }) =>
    mayBeCode(folder === "" ? path : path.slice(folder.length + 1), { ...ANY, include, exclude }),
  );
}

/** Also a folder such as `src/cache` has programs. */
function mayBeData(path: string): boolean {
  return !path.split("/").slice(0, -1).some(isNoData);
}

/** A digest of what the path holds or leads to. */
function contentOf(path: string, stats: Stats): string {
  if (stats.isSymbolicLink()) return `to ${readlinkSync(path)}`;
  if (!stats.isFile() || stats.size > MAX_DIGESTED_BYTES) return `${stats.mode} ${stats.size}`;
  try {
    return createHash("sha1").update(readFileSync(path)).digest("base64url");
  } catch {
    return "unreadable";
  }
}

/**
 * Code that was changed or removed since, and the folders of packages with such files. A file with its old time of change
 * is not read. Empty if nothing was noted.
 * @param withPackages also installed ones, which are most of the files of a release
 */
export async function changedFiles(
  layout: Layout,
  id: string,
  { withPackages }: { readonly withPackages: boolean },
): Promise<string[]> {
  const lists = withPackages ? (["files", "packages"] as const) : (["files"] as const);
  const noted = await Promise.all(lists.map((list) => readNoted(layout, id, list)));
  const changed: string[] = [];
  let count = 0;
  for (const [name, [changedMs, content, modifiedMs]] of noted.flatMap((list) => Object.entries(list ?? {}))) {
    if (content === undefined) continue;
    count += 1;
    if (count % FILES_PER_TURN === 0) await pause();
    const path = join(layout.releases, id, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    // A package manager that links its files changes their time with each other release.
    const isSame =
      stats?.ctimeMs === changedMs || (stats !== undefined && stats.nlink > 1 && stats.mtimeMs === modifiedMs);
    if (!isSame && (stats === undefined || contentOf(path, stats) !== content)) changed.push(name);
  }
  // Another install changes thousands of files.
  return [...new Set(changed.map((name) => packageOf(`/${name}`)?.slice(1) ?? name))];
}

/** A list that a crash of the machine has torn is as one that was never written. */
async function readNoted(layout: Layout, id: string, list: List): Promise<Noted | undefined> {
  const bytes = await readIfExists(notedPath(layout, id, list));
  try {
    return bytes && (JSON.parse(gunzipSync(bytes).toString("utf8")) as Noted);
  } catch {
    return undefined;
  }
}

/**
 * Files that were written since, apart from packages, caches and logs. Hard links of a package manager change those of
 * its files. A folder changes with what is created in it, so only files count.
 * @param sinceMs if nothing was noted; a clock may have been set back since
 */
export async function writtenSince(layout: Layout, id: string, sinceMs: number): Promise<string[]> {
  const release = join(layout.releases, id);
  const noted = await readNoted(layout, id, "files");
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

/** Programs that it did not have. Data of an app does not count, because an app writes it at any time. */
export async function addedPrograms(layout: Layout, id: string): Promise<string[]> {
  const release = join(layout.releases, id);
  const noted = await readNoted(layout, id, "files");
  if (noted === undefined) return [];
  const files = [...walk(release, (name) => !isNoData(name))].filter(({ isFolder }) => !isFolder);
  const names = files.map(({ path }) => path.slice(release.length + 1));
  return names.filter((name) => isProgram(name) && !Object.hasOwn(noted, name));
}

export function forgetFiles(layout: Layout, id: string): void {
  for (const list of ["files", "packages"] as const) rmSync(notedPath(layout, id, list), { force: true });
}
