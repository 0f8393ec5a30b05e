/** In a monorepo with one folder of builds, what belongs to other apps. */
import { readdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { once } from "../../words/once.ts";
import { isBelow, isInBuild, isProgram } from "../code-files.ts";
import { isInside } from "../code-evidence.ts";
import { readTextSync } from "../../files/system.ts";
import { realPath } from "./walk.ts";

const MAX_BYTES = 2 ** 23;

interface Place {
  readonly unit: string;
  /** Real. */
  readonly script: string;
  /** As declared. */
  readonly others: readonly string[];
}

/**
 * Finds paths of the unit that are built for another app, or are its sources. With `dist/apps/api/main.js` and
 * `dist/apps/web/main.js`, these are `dist/apps/web` and `apps/web` for the first. There are none if a program of the
 * own folder may load something outside of it.
 */
export function siblingPaths({ unit, script, others }: Place): (path: string) => boolean {
  const own = inBuild(unit, script);
  if (own === undefined) return () => false;
  const claims = others.flatMap((other) => {
    const real = realPath(other);
    const theirs = real === null ? undefined : inBuild(unit, real);
    return theirs === undefined || theirs.build !== own.build ? [] : claimOf(own.folders, theirs.folders);
  });
  const folders = claims.flatMap(({ theirs }) => [theirs, `${own.build}${theirs}`]);
  const depth = Math.max(0, ...claims.map(({ depth: at }) => at));
  const home = join(unit, own.build, ...own.folders.slice(0, depth));
  const isClosed = once(() => isClosedFolder(home, claims));
  return (path) => folders.some((folder) => isBelow(path, folder)) && isClosed();
}

interface Built {
  /** Up to the folder of builds, such as `dist/`. */
  readonly build: string;
  readonly folders: readonly string[];
}

function inBuild(unit: string, script: string): Built | undefined {
  if (!isInside(script, unit)) return undefined;
  const folders = relative(unit, dirname(script)).split("/");
  const end = folders.findIndex((_, index) => isInBuild(`${folders.slice(0, index + 1).join("/")}/`)) + 1;
  return end === 0 ? undefined : { build: `${folders.slice(0, end).join("/")}/`, folders: folders.slice(end) };
}

interface Claim {
  /** Up to the first folder in which both differ. */
  readonly theirs: string;
  readonly depth: number;
}

function claimOf(own: readonly string[], theirs: readonly string[]): Claim[] {
  const at = own.findIndex((folder, index) => folder !== theirs[index]);
  return at === -1 || at >= theirs.length ? [] : [{ theirs: theirs.slice(0, at + 1).join("/"), depth: at + 1 }];
}

/** Its programs name no folder above it, and no folder of another app. */
function isClosedFolder(home: string, claims: readonly Claim[]): boolean {
  try {
    let bytes = 0;
    const entries = readdirSync(home, { withFileTypes: true, recursive: true });
    for (const entry of entries.filter(({ name }) => isProgram(name))) {
      const path = join(entry.parentPath, entry.name);
      bytes += statSync(path).size;
      const above = relative(home, path).split("/").length;
      if (bytes > MAX_BYTES || isOpen(readTextSync(path), above, claims)) return false;
    }
    return true;
  } catch {
    return false;
  }
}

function isOpen(text: string, above: number, claims: readonly Claim[]): boolean {
  if (text.includes("../".repeat(above)) || /["'`]\.\.["'`]/.test(text)) return true;
  // A path may be joined from its parts.
  const isQuoted = (part: string): boolean => ["'", '"', "`"].some((quote) => text.includes(`${quote}${part}${quote}`));
  return claims.some(({ theirs }) => text.includes(theirs) || theirs.split("/").every(isQuoted));
}
