/** Synchronous: through promises, the same walk takes seven times as long. */
import { type Dirent, lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
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
  const waiting = roots.map(({ folder, prefix }) => ({ absolute: folder, path: prefix }));
  let files = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    try {
      const here = next;
      entries.push(toEntry(here, "folder", lstatSync(here.absolute)));
      for (const child of readdirSync(here.absolute, { withFileTypes: true })) {
        const absolute = join(here.absolute, child.name);
        const kind = kindOf(child);
        if (kind === undefined || others.has(absolute)) continue;
        const place = { absolute, path: here.path === "" ? child.name : `${here.path}/${child.name}` };
        if (kind === "folder" && !SKIPPED_FOLDERS.has(child.name)) waiting.push(place);
        if (kind === "folder" || child.name === "node_modules") continue;
        files += 1;
        const stats = lstatSync(absolute, { throwIfNoEntry: false });
        if (stats !== undefined) entries.push(toEntry(place, kind, stats));
      }
    } catch (error) {
      if (errorCode(error) !== "ENOENT")
        return { entries, problem: `${next.absolute} cannot be read (${errorCode(error)})` };
    }
    if (files > MAX_FILES) return { entries, problem: `its folder has more than ${MAX_FILES} files` };
    if (budget.problem !== null) return { entries, problem: budget.problem };
  }
  return { entries, problem: null };
}

function kindOf(child: Dirent): WalkedEntry["kind"] | undefined {
  if (child.isFile()) return "file";
  if (child.isDirectory()) return "folder";
  return child.isSymbolicLink() ? "link" : undefined;
}

function toEntry(
  place: { readonly path: string; readonly absolute: string },
  kind: WalkedEntry["kind"],
  { size, ino, mtimeMs, ctimeMs }: Stats,
): WalkedEntry {
  return { ...place, kind, size, ino, modifiedMs: mtimeMs, changedMs: ctimeMs };
}
