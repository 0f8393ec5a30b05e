/** The lockfile of an app, the marker of its package manager, and generated code. */
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  FOREIGN_LOCKFILES,
  GENERATORS,
  INSTALL_MARKERS,
  isGeneratedCode,
  LOCKFILES,
  OTHER_LOCKFILES,
} from "../install-files.ts";
import { isInside, isLauncher, packageOf } from "../code-evidence.ts";
import { digestIfThere, digestText } from "./record-store.ts";
import { realPath } from "./walk.ts";

export interface Install {
  readonly digest: string | null;
  readonly lockfiles: readonly string[];
  readonly modifiedMs: number;
  readonly changedMs: number;
  /** Those of a workspace, by their paths. */
  readonly links: Readonly<Record<string, string>>;
}

interface Surroundings {
  readonly packages: readonly string[];
  readonly links: ReadonlyMap<string, string>;
  readonly script: string | null;
  /** Folders, of which some may be virtual environments of Python. */
  readonly venvs: readonly string[];
}

/** Of the folder, or of one above it in a workspace, with the code that generators put into `node_modules`. */
export function readInstall(folder: string | undefined, around: Surroundings): Install {
  if (folder === undefined) return NO_INSTALL;
  const { links } = around;
  const install = readFiles(folder, around);
  const modules = [...upwards(folder)].map((at) => join(at, "node_modules"));
  const changed = [...links.keys(), ...modules].map((path) => linkChangedMs(path));
  return { ...install, links: Object.fromEntries(links), changedMs: Math.max(install.changedMs, ...changed) };
}

function linkChangedMs(path: string): number {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isSymbolicLink() === true ? stats.ctimeMs : 0;
}

function readFiles(folder: string, { packages, script, venvs }: Surroundings): Omit<Install, "links"> {
  const generated = new Set([folder, ...packages].flatMap((one) => findGenerated(one)));
  const installed = new Set(venvs.flatMap((one) => findRecords(one)));
  const others = [...[...generated].toSorted(), ...manifestElsewhere(script, folder), ...[...installed].toSorted()];
  const own = nearest(folder, [...LOCKFILES, ...OTHER_LOCKFILES], INSTALL_MARKERS);
  const foreign = isOfNode(script) ? NOTHING : nearest(folder, FOREIGN_LOCKFILES, []);
  const lockfiles = [...own.lockfiles, ...foreign.lockfiles];
  return toInstall(lockfiles, [...lockfiles, ...own.markers, ...others]);
}

interface Nearest {
  readonly lockfiles: readonly string[];
  readonly markers: readonly string[];
}

const NOTHING: Nearest = { lockfiles: [], markers: [] };

/** A marker below the folder of the lockfile may be left over from an earlier install. */
function nearest(folder: string, lockfiles: readonly string[], markers: readonly string[]): Nearest {
  const found: string[] = [];
  for (const at of upwards(folder)) {
    const there = (names: readonly string[]): string[] =>
      names.map((name) => join(at, name)).filter((path) => existsSync(path));
    const own = there(lockfiles);
    found.push(...there(markers));
    if (own.length > 0) return { lockfiles: own, markers: found };
  }
  return { lockfiles: [], markers: found };
}

function isOfNode(script: string | null): boolean {
  return script !== null && /\.[cm]?[jt]sx?$/.test(script) && !isLauncher(script);
}

/** Pip, uv and others write one for each package of a virtual environment: its files, with their digests. */
function findRecords(venv: string): string[] {
  const mark = join(venv, "pyvenv.cfg");
  if (!existsSync(mark)) return [];
  const versions = namesIn(join(venv, "lib")).filter((name) => name.startsWith("python"));
  const folders = versions.map((version) => join(venv, "lib", version, "site-packages"));
  return [mark, ...folders.flatMap((at) => namesIn(at).flatMap((name) => recordOf(join(at, name))))];
}

function recordOf(path: string): string[] {
  if (path.endsWith(".dist-info")) return [join(path, "RECORD")];
  return path.endsWith(".egg-info") ? [join(path, "PKG-INFO")] : [];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Of the package that has the script, if it is in none of the folders where the app finds its dependencies. */
function manifestElsewhere(script: string | null, folder: string): string[] {
  const home = script === null || isLauncher(script) ? undefined : packageOf(script);
  const top = home?.slice(0, home.indexOf("/node_modules/"));
  return top === undefined || isInside(folder, top) ? [] : [join(home ?? "", "package.json")];
}

const NO_INSTALL: Install = { digest: null, lockfiles: [], modifiedMs: 0, changedMs: 0, links: {} };

function toInstall(lockfiles: readonly string[], paths: readonly string[]): Omit<Install, "links"> {
  if (paths.length === 0) return NO_INSTALL;
  const stats = paths.flatMap((path) => lstatSync(path, { throwIfNoEntry: false }) ?? []);
  return {
    digest: digestText(JSON.stringify(paths.map((path) => digestIfThere(path)))),
    lockfiles,
    modifiedMs: Math.max(...stats.map(({ mtimeMs }) => mtimeMs)),
    changedMs: Math.max(...stats.map(({ ctimeMs }) => ctimeMs)),
  };
}

/** Real paths of programs and schemas, such as those of `prisma generate`. */
function findGenerated(folder: string): string[] {
  return GENERATORS.flatMap(({ library, output }) => {
    const real = findInstalled(folder, library);
    if (real === null) return [];
    // pnpm gives the library a `node_modules` folder that only its own dependencies share.
    const modules = real.slice(0, -library.length);
    return filesBelow(join(modules, output)).filter((path) => isGeneratedCode(path));
  });
}

/** As Node.js looks for it: in `node_modules` of the folder and of each one above. */
function findInstalled(folder: string, library: string): string | null {
  for (const at of upwards(folder)) {
    const path = join(at, "node_modules", library);
    if (existsSync(path)) return realPath(path);
  }
  return null;
}

function filesBelow(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
}

function* upwards(folder: string): Generator<string> {
  for (let at = folder; at !== dirname(at); at = dirname(at)) yield at;
}
