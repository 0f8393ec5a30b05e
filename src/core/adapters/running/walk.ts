/** Synchronous: through promises, the same walk takes seven times as long. */
import { type Dirent, lstatSync, readdirSync, type Stats } from "node:fs";
import { SKIPPED_FOLDERS } from "../../running/code-files.ts";
import { errorCode } from "../../words/thrown.ts";

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
}

export interface Walk {
  readonly entries: readonly WalkedEntry[];
  /** Why it is incomplete; `null` if it is not. */
  readonly problem: string | null;
}

export class Budget {
  readonly #endMs: number;
  readonly #budgetMs: number;

  constructor(budgetMs: number) {
    this.#budgetMs = budgetMs;
    this.#endMs = performance.now() + budgetMs;
  }

  get problem(): string | null {
    return performance.now() >= this.#endMs ? `its files could not be read within ${this.#budgetMs / 1000} s` : null;
  }
}

interface WalkRoot {
  readonly folder: string;
  /** Of the paths, such as `../packages/mail`. */
  readonly prefix: string;
}

/** Follows no link. @param others absolute paths that are left out */
export function walkUnit(roots: readonly WalkRoot[], others: ReadonlySet<string>, budget: Budget): Walk {
  const entries: WalkedEntry[] = [];
  const waiting: PlaceInUnit[] = roots.map(({ folder, prefix }) => ({ absolute: folder, path: prefix }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const problem = readFolder(next, { entries, waiting, others }) ?? limitProblem(entries, budget);
    if (problem !== null) return { entries, problem };
  }
  return { entries, problem: null };
}

interface Walking {
  readonly entries: WalkedEntry[];
  readonly waiting: PlaceInUnit[];
  readonly others: ReadonlySet<string>;
}

function limitProblem(entries: readonly WalkedEntry[], budget: Budget): string | null {
  if (entries.length > MAX_FILES) return `its folder has more than ${MAX_FILES} files`;
  return budget.problem;
}

function readFolder(folder: PlaceInUnit, { entries, waiting, others }: Walking): string | null {
  try {
    entries.push(toEntry(folder, "folder", lstatSync(folder.absolute)));
    const children = listChildren(folder, others);
    waiting.push(...children.filter(({ kind }) => kind === "folder"));
    for (const child of children) if (child.kind !== "folder") addFile(entries, child);
    return null;
  } catch (error) {
    return errorCode(error) === "ENOENT" ? null : `${folder.absolute} cannot be read (${errorCode(error)})`;
  }
}

interface PlaceInUnit {
  readonly path: string;
  readonly absolute: string;
}

interface KindInUnit extends PlaceInUnit {
  readonly kind: WalkedEntry["kind"];
}

function listChildren(folder: PlaceInUnit, others: ReadonlySet<string>): KindInUnit[] {
  return readdirSync(folder.absolute, { withFileTypes: true }).flatMap((child) => {
    const kind = kindOf(child);
    const absolute = `${folder.absolute}/${child.name}`;
    // A linked work tree has a file `.git`, and `node_modules` may be a link.
    if (kind === undefined || SKIPPED_FOLDERS.has(child.name) || others.has(absolute)) return [];
    return [{ kind, absolute, path: folder.path === "" ? child.name : `${folder.path}/${child.name}` }];
  });
}

/** It may have been removed since its name was read. */
function addFile(entries: WalkedEntry[], place: KindInUnit): void {
  const stats = lstatSync(place.absolute, MAY_BE_GONE);
  if (stats !== undefined) entries.push(toEntry(place, place.kind, stats));
}

const MAY_BE_GONE = { throwIfNoEntry: false } as const;

function kindOf(child: Dirent): WalkedEntry["kind"] | undefined {
  if (child.isFile()) return "file";
  if (child.isDirectory()) return "folder";
  return child.isSymbolicLink() ? "link" : undefined;
}

/** Without a spread, which costs as much as the call of the system. */
function toEntry({ path, absolute }: PlaceInUnit, kind: WalkedEntry["kind"], stats: Stats): WalkedEntry {
  const { size, ino, mtimeMs: modifiedMs, ctimeMs: changedMs, birthtimeMs: bornMs } = stats;
  return { path, absolute, kind, size, ino, modifiedMs, changedMs, bornMs };
}
