/** Synchronous: through promises, the same walk takes seven times as long. */
import { type Dirent, lstatSync, readdirSync, realpathSync, statSync, type Stats } from "node:fs";
import { type CodeRules, matchesAny, mayBeCode, mayFollow, mayHoldCode, SKIPPED_FOLDERS } from "../code-files.ts";
import { isInside } from "../code-evidence.ts";
import { errorCode } from "../../words/thrown.ts";
import { queuedMs } from "../../files/system.ts";

const MAX_FILES = 20_000;

export interface WalkedEntry {
  /** Relative to the unit; `""` for the unit itself. */
  readonly path: string;
  readonly absolute: string;
  readonly kind: "file" | "link" | "folder";
  readonly size: number;
  readonly ino: number;
  readonly modifiedMs: number;
  readonly changedMs: number;
  /** When it was created; 0 if the file system does not know. */
  readonly bornMs: number;
  /** Behind a link that leads out of the unit. */
  readonly isOutside: boolean;
}

export interface Walk {
  readonly entries: readonly WalkedEntry[];
  /** Why it is incomplete; `null` if it is not. */
  readonly problem: string | null;
  /** Virtual environments of Python, as absolute paths. Their packages are compared in another way. */
  readonly venvs: readonly string[];
}

/** Of a budget, on a machine that has no time for it. */
const MAX_QUEUED_SHARE = 4;

/** A time without that in which this thread waits for a processor. */
export class Budget {
  #endMs = 0;
  #queuedMs = 0;
  readonly #budgetMs: number;
  readonly #readQueuedMs: () => number;

  constructor(budgetMs: number, readQueuedMs = () => queuedMs("thread-self")) {
    this.#budgetMs = budgetMs;
    this.#readQueuedMs = readQueuedMs;
    this.renew();
  }

  renew(): void {
    this.#endMs = performance.now() + this.#budgetMs;
    this.#queuedMs = this.#readQueuedMs();
  }

  get problem(): string | null {
    const lateMs = performance.now() - this.#endMs;
    if (lateMs < 0) return null;
    const waitedMs = Math.min(this.#readQueuedMs() - this.#queuedMs, this.#budgetMs * MAX_QUEUED_SHARE);
    return lateMs < waitedMs ? null : `its files could not be read within ${this.#budgetMs / 1000} s`;
  }
}

interface WalkRoot {
  readonly folder: string;
  /** Of the paths, such as `../packages/mail`. */
  readonly prefix: string;
}

export interface Omitted {
  /** Absolute paths. */
  readonly others: ReadonlySet<string>;
  /** Patterns of paths in the unit. */
  readonly exclude: readonly string[];
}

/** Follows a link that leads out of the roots, because Node.js does. */
export function walkUnit(roots: readonly WalkRoot[], omitted: Omitted, budget: Budget): Walk {
  const walking: Walking = {
    entries: [],
    waiting: roots.map(({ folder, prefix }) => ({ absolute: folder, path: prefix, isOutside: false })),
    roots: roots.map(({ folder }) => folder),
    followed: new Set(),
    venvs: [],
    ...omitted,
  };
  const { entries, waiting, venvs } = walking;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const problem = readFolder(next, walking) ?? limitProblem(entries, budget);
    if (problem !== null) return { entries, problem, venvs };
  }
  return { entries, problem: null, venvs };
}

interface Walking extends Omitted {
  readonly entries: WalkedEntry[];
  readonly waiting: PlaceInUnit[];
  readonly roots: readonly string[];
  /** Real paths. */
  readonly followed: Set<string>;
  readonly venvs: string[];
}

function limitProblem(entries: readonly WalkedEntry[], budget: Budget): string | null {
  if (entries.length > MAX_FILES) return `its folder has more than ${MAX_FILES} files`;
  return budget.problem;
}

const VENV_MARK = "/pyvenv.cfg";

function readFolder(folder: PlaceInUnit, walking: Walking): string | null {
  const { entries, waiting } = walking;
  try {
    entries.push(toEntry(folder, "folder", lstatSync(folder.absolute)));
    const children = listChildren(folder, walking);
    const hidden = children.find(isUnreadable);
    if (hidden !== undefined) return `${folder.absolute} has a file or folder whose name is not UTF-8`;
    if (children.some(({ absolute }) => absolute.endsWith(VENV_MARK))) walking.venvs.push(folder.absolute);
    for (const child of children) {
      if (child.kind === "folder") waiting.push(child);
      else addFile(child, walking);
    }
    return null;
  } catch (error) {
    return errorCode(error) === "ENOENT" ? null : `${folder.absolute} cannot be read (${errorCode(error)})`;
  }
}

interface PlaceInUnit {
  readonly path: string;
  readonly absolute: string;
  readonly isOutside: boolean;
}

interface KindInUnit extends PlaceInUnit {
  readonly kind: WalkedEntry["kind"];
}

function listChildren(folder: PlaceInUnit, { others, exclude, venvs }: Walking): KindInUnit[] {
  const isOfVenv = venvs.some((venv) => folder.absolute === `${venv}/lib`);
  return readdirSync(folder.absolute, { withFileTypes: true }).flatMap((child) => {
    const kind = kindOf(child);
    const absolute = `${folder.absolute}/${child.name}`;
    // A linked work tree has a file `.git`, and `node_modules` may be a link.
    if (kind === undefined || SKIPPED_FOLDERS.has(child.name) || others.has(absolute)) return [];
    // Of a virtual environment, only what is installed: some teams have their code in the same folder.
    if (isOfVenv && child.name.startsWith("python")) return [];
    const path = folder.path === "" ? child.name : `${folder.path}/${child.name}`;
    if (kind === "folder" && matchesAny(path, exclude)) return [];
    return [{ kind, absolute, path, isOutside: folder.isOutside }];
  });
}

const ANY: CodeRules = { named: new Set(), scriptFolder: null, others: new Set(), include: [], exclude: [] };

/** Node.js shows a name that is not UTF-8 with replacements, under which there is no file. */
function isUnreadable({ absolute, path, kind }: KindInUnit): boolean {
  if (!path.includes("\uFFFD") || lstatSync(absolute, MAY_BE_GONE) !== undefined) return false;
  const folder = kind === "folder" ? path : path.slice(0, Math.max(path.lastIndexOf("/"), 0));
  return mayHoldCode(folder, false, ANY) && (kind === "folder" || mayBeCode(path, ANY));
}

/** It may have been removed since its name was read. */
function addFile(place: KindInUnit, walking: Walking): void {
  const stats = lstatSync(place.absolute, MAY_BE_GONE);
  if (stats !== undefined) walking.entries.push(toEntry(place, place.kind, stats));
  if (stats !== undefined && place.kind === "link") followLink(place, walking);
}

/** The link itself counts under its path, and a file that it leads to under another one. */
function followLink({ absolute, path }: PlaceInUnit, { entries, waiting, roots, followed }: Walking): void {
  const end = path.lastIndexOf("/") + 1;
  const target = mayFollow(path.slice(end)) ? realPath(absolute) : null;
  if (target === null || followed.has(target) || target.includes("/node_modules/")) return;
  if (roots.some((root) => isInside(target, root) || isInside(root, target))) return;
  followed.add(target);
  const stats = statSync(target, MAY_BE_GONE);
  if (stats?.isDirectory() === true) waiting.push({ absolute: target, path, isOutside: true });
  if (stats?.isFile() !== true) return;
  const file = { absolute: target, path: `${path.slice(0, end)}./${path.slice(end)}`, isOutside: true };
  entries.push(toEntry(file, "file", stats));
}

/** A file that is not in the unit. */
export function outsideFile(absolute: string, path: string): WalkedEntry | undefined {
  const stats = statSync(absolute, MAY_BE_GONE);
  return stats?.isFile() === true ? toEntry({ absolute, path, isOutside: true }, "file", stats) : undefined;
}

export function realPath(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

export function isFolder(path: string): boolean {
  return statOf(path)?.isDirectory() === true;
}

/** A text of a program need not be a name: the system refuses one that is too long or has a zero byte. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, MAY_BE_GONE);
  } catch {
    return undefined;
  }
}

export const MAY_BE_GONE = { throwIfNoEntry: false } as const;

function kindOf(child: Dirent): WalkedEntry["kind"] | undefined {
  if (child.isFile()) return "file";
  if (child.isDirectory()) return "folder";
  return child.isSymbolicLink() ? "link" : undefined;
}

/** Without a spread, which costs as much as the call of the system. */
function toEntry({ path, absolute, isOutside }: PlaceInUnit, kind: WalkedEntry["kind"], stats: Stats): WalkedEntry {
  const { size, ino, mtimeMs: modifiedMs, ctimeMs: changedMs, birthtimeMs: bornMs } = stats;
  return { path, absolute, kind, size, ino, modifiedMs, changedMs, bornMs, isOutside };
}
