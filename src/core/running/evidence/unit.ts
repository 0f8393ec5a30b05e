/** The files of one app's code, walked once for all of its processes. */
import { existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative } from "node:path";
import { type Place, findUnit, isInside, isInstalled, isLauncher, packageOf } from "../code-evidence.ts";
import { isInBuild, matchesAny, mayBeCode, mayFollow, NEXT_BUILD, type CodeRules } from "../code-files.ts";
import { isSettings, type LoadedPaths } from "../loaded-paths.ts";
import type { CodeRequest } from "../port-running-code.ts";
import { once } from "../../words/once.ts";
import { errorCode } from "../../words/thrown.ts";
import { Digester, type RecordStore } from "./record-store.ts";
import { readInstall, type Install } from "./install.ts";
import { siblingPaths } from "./siblings.ts";
import { findWorkspaceLinks } from "./workspace-links.ts";
import {
  type Budget,
  isFolder,
  MAY_BE_GONE,
  outsideFile,
  realPath,
  walkUnit,
  type Walk,
  type WalkedEntry,
} from "./walk.ts";

/** Shared by the apps of one folder. */
export interface FolderFiles {
  readonly walk: Walk;
  readonly digester: Digester;
}

export interface FolderRequest {
  readonly folder: string;
  /** Of the workspace, as its links lead to them. */
  readonly packages: readonly string[];
  /** Absolute real paths. */
  readonly others: readonly string[];
  readonly exclude: readonly string[];
  readonly loads: LoadedPaths;
}

interface UnitContext {
  readonly root: string;
  readonly budget: Budget;
  readonly read: (request: FolderRequest) => FolderFiles;
  /** Data that the app writes at each start, by the folder of the unit. */
  readonly ownOf: (folder: string) => Iterable<string>;
}

const EMPTY: Walk = { entries: [], problem: null, venvs: [] };

/** Its files are read when the first of them is needed. */
export class Unit {
  readonly place: Place;
  /** `undefined` if the folder of the app does not exist. */
  readonly folder: string | undefined;
  readonly rules: CodeRules;
  /** Absolute paths of settings that the declaration names, and that do not exist. */
  readonly missingSettings: readonly string[];
  /** Folders outside of the unit in which the named settings are. */
  readonly settingsFolders: readonly string[];
  readonly #root: string;
  readonly #own: Set<string>;
  readonly #folderFiles: () => FolderFiles | undefined;
  readonly #install: () => Install;
  readonly #budget: Budget;
  #files: WalkedEntry[] | undefined;
  #digests: ReadonlyMap<string, string> | string | undefined;

  constructor(request: CodeRequest, { root, budget, read, ownOf }: UnitContext) {
    const realRoot = realPath(root) ?? root;
    const inRoot = (path: string): string => (isInside(path, root) ? realRoot + path.slice(root.length) : path);
    this.#budget = budget;
    this.#root = realRoot;
    this.place = { cwd: realPath(request.cwd), script: realPath(request.script) };
    const found = findUnit({
      ...this.place,
      declaredCwd: inRoot(request.cwd),
      declaredScript: inRoot(request.script),
      serviceFolder: request.folder === undefined ? null : realPath(request.folder),
      root: realRoot,
      hasPackage,
    });
    this.folder = found?.folder;
    const { folder, place } = this;
    const toPattern = (one: string): string => (isAbsolute(one) ? relative(folder ?? "", one) : one);
    const [include, exclude] = [request.include.map(toPattern), request.exclude.map(toPattern)];
    const loads = realLoads(request, place);
    const toPath = (path: string): string => relative(folder ?? "", path);
    const named = new Set(loads.files.map(toPath));
    const others = request.others.map((path) => realPath(path) ?? path);
    const scriptFolder = found?.scriptFolder ?? null;
    const removed = missingPaths(request.loads?.settings);
    const settings = new Set([...(loads.settings ?? []), ...removed].map(toPath));
    this.missingSettings = removed;
    this.settingsFolders = settingsFolders(request.loads?.settings).filter((path) => !isInside(path, folder ?? "/"));
    this.#own = new Set(folder === undefined ? [] : ownOf(folder));
    const apart = new Set(others.map(toPath));
    const isElsewhere = folder !== undefined && place.cwd !== null && !isInside(place.cwd, folder);
    const isOfSibling = findSiblings(request, folder, place);
    const where = { isElsewhere, isOfSibling, scriptFolder };
    this.rules = { named, settings, own: this.#own, ...where, others: apart, include, exclude };
    const links = once(() => (folder === undefined ? new Map<string, string>() : findWorkspaceLinks(folder)));
    const packages = once(() => [...new Set(links().values())].filter((one) => one !== folder).toSorted());
    this.#folderFiles = once(() => {
      if (folder === undefined) return undefined;
      const files = read({ folder, packages: packages(), others, exclude, loads: outsideOf(folder, loads) });
      for (const path of folderLinks(files.walk)) named.add(path);
      return files;
    });
    const venvs = () => [...this.walk.venvs, ...programFolders(request)];
    this.#install = once(() =>
      readInstall(folder, { packages: packages(), links: links(), script: place.script, venvs: venvs() }),
    );
  }

  addOwn(path: string): void {
    this.#own.add(path);
  }

  get walk(): Walk {
    return this.#folderFiles()?.walk ?? EMPTY;
  }

  /** Of a file outside of the repository and the unit: its absolute path. */
  nameOf(path: string): string {
    const absolute = path.startsWith("../") ? join(this.folder ?? "/", path) : "";
    return absolute === "" || isInside(absolute, this.#root) ? path : absolute;
  }

  get install(): Install {
    return this.#install();
  }

  /** The folder of the script, if its name is that of a build, or the one from which Next.js serves. */
  get buildFolder(): string | undefined {
    const { scriptFolder, exclude } = this.rules;
    if (scriptFolder !== null) return isInBuild(`${scriptFolder}/`) ? scriptFolder : undefined;
    const isNext = !matchesAny(NEXT_BUILD, exclude) && existsSync(join(this.folder ?? "/", NEXT_BUILD));
    return isNext ? NEXT_BUILD : undefined;
  }

  /** Files and links that may be code. */
  get files(): WalkedEntry[] {
    return (this.#files ??= this.walk.entries.filter(
      ({ kind, path }) => kind !== "folder" && mayBeCode(path, this.rules),
    ));
  }

  /** By path; a text says why there are none. */
  get digests(): ReadonlyMap<string, string> | string {
    return (this.#digests ??= this.#digestAll());
  }

  /** `undefined` if nothing has asked for them. */
  get knownDigests(): ReadonlyMap<string, string> | undefined {
    return typeof this.#digests === "string" ? undefined : this.#digests;
  }

  /** False if a file was written since the walk, so that its digest may be of what was written. */
  readonly isAsWalked = once(() =>
    this.files.every(({ absolute, changedMs, kind }) => {
      const now = kind === "link" ? lstatSync(absolute, MAY_BE_GONE) : statSync(absolute, MAY_BE_GONE);
      return now?.ctimeMs === changedMs;
    }),
  );

  #digestAll(): ReadonlyMap<string, string> | string {
    if (this.walk.problem !== null) return this.walk.problem;
    const digests = new Map<string, string>();
    for (const entry of this.files) {
      if (this.#budget.problem !== null) return this.#budget.problem;
      try {
        digests.set(entry.path, this.#folderFiles()?.digester.digest(entry) ?? "");
      } catch (error) {
        if (errorCode(error) !== "ENOENT") return `${entry.absolute} cannot be read (${errorCode(error)})`;
      }
    }
    return digests;
  }
}

function findSiblings(
  { siblings = [] }: CodeRequest,
  unit: string | undefined,
  { script }: Place,
): (path: string) => boolean {
  return unit === undefined || script === null ? () => false : siblingPaths({ unit, script, others: siblings });
}

/** Real paths of what is there, except programs and libraries of the system. */
function realLoads({ loads }: CodeRequest, { script }: Place): LoadedPaths {
  const own = script === null || isLauncher(script) || packageOf(script) !== undefined ? [] : [script];
  const { files, folders, texts, settings } = loads ?? {};
  return {
    files: [...own, ...realPaths(files)],
    folders: realPaths(folders),
    texts: realPaths(texts),
    settings: realPaths(settings).flatMap((path) => [path, ...settingsBelow(path)]),
  };
}

/** Of a folder, those directly in it. */
function settingsBelow(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => isSettings(name))
      .flatMap((name) => realPath(join(folder, name)) ?? []);
  } catch {
    return [];
  }
}

/** With every link of their folders resolved. */
function missingPaths(paths: readonly string[] = []): string[] {
  return paths.flatMap((path) => {
    const folder = realPath(path) === null ? realPath(dirname(path)) : null;
    return folder === null ? [] : [join(folder, basename(path))];
  });
}

function settingsFolders(paths: readonly string[] = []): string[] {
  const folders = paths.flatMap((path) => {
    const real = realPath(path);
    return real !== null && isFolder(real) ? [real] : [realPath(dirname(path))];
  });
  return [...new Set(folders)].filter((folder) => folder !== null);
}

function realPaths(paths: readonly string[] = []): string[] {
  return paths.flatMap((path) => realPath(path) ?? []).filter((path) => !isInstalled(path));
}

function hasPackage(folder: string): boolean {
  return existsSync(join(folder, "package.json"));
}

/** Above the folder `bin` of each of them. */
function programFolders({ script, loads }: CodeRequest): string[] {
  return [script, ...(loads?.programs ?? [])].map((path) => dirname(dirname(path)));
}

/** Code is loaded by their names, such as that of `dist` in `dist -> builds/2`. */
function folderLinks({ entries }: Walk): string[] {
  return entries.flatMap(({ kind, path, absolute }) =>
    kind === "link" && mayFollow(basename(path)) && isFolder(absolute) ? [path] : [],
  );
}

/** Apps of one folder with other scripts share its walk. */
function outsideOf(unit: string, { files, folders, texts = [], settings = [] }: LoadedPaths): LoadedPaths {
  return { files: [...files, ...texts, ...settings].filter((path) => !isInside(path, unit)), folders };
}

export function readFolder(
  { folder, packages, others, exclude, loads }: FolderRequest,
  { store, budget }: { readonly store: RecordStore; readonly budget: Budget },
): FolderFiles {
  const linked = withoutNested(packages.filter((one) => !isInside(one, folder) || one.includes("/node_modules/")));
  const more = loads.folders.filter((one) => ![folder, ...linked].some((root) => isInside(one, root)));
  const roots = [folder, ...linked, ...more].map((one) => ({ folder: one, prefix: relative(folder, one) }));
  const { entries, problem, venvs } = walkUnit(roots, { others: new Set(others), exclude }, budget);
  const outside = loads.files
    .filter((path) => !roots.some((root) => isInside(path, root.folder)))
    .flatMap((path) => outsideFile(path, relative(folder, path)) ?? []);
  return {
    walk: { entries: [...entries, ...outside], problem, venvs },
    digester: new Digester(() => store.readCache(folder)),
  };
}

export function withoutNested(folders: readonly string[]): string[] {
  return folders.filter((one) => !folders.some((other) => other !== one && isInside(one, other)));
}
