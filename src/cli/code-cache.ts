import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { Script } from "node:vm";

/** Names the content of a build, because V8 compares only the length of a source. */
export const BUILD_ID_FILE = "build-id";

/** More folders are left over from earlier versions of svcm or Node.js. */
const MOST_FOLDERS = 8;
const PRIVATE = 0o700;
const WRITABLE_BY_OTHERS = 0o022;

export interface CodeCache {
  readonly read: (chunk: string) => Buffer | undefined;
  /** A cache that cannot be written is not an error: the next start compiles again. */
  readonly keep: (compiled: ReadonlyMap<string, Script>) => void;
}

/**
 * The cache is `$XDG_CACHE_HOME/svcm` or `~/.cache/svcm`. The package contains no compiled code, because that fits only
 * the Node.js that made it. Because the start runs cached code, a folder is not used if another user owns it or may
 * write to it. `undefined` then, and without a home.
 */
export function userCodeCache(dist: string, env: NodeJS.ProcessEnv): CodeCache | undefined {
  const { XDG_CACHE_HOME: cache, HOME: home } = env;
  const base = cache || (home && `${home}/.cache`);
  const build = textOf(`${dist}/${BUILD_ID_FILE}`);
  if (!base || !base.startsWith("/") || build === undefined) return undefined;
  const parent = `${base}/svcm`;
  const folder = `${parent}/${build}-node${process.versions.v8}-${process.arch}`;
  const isOurs = isOwn(folder);
  return {
    read: (chunk) => (isOurs ? bytesOf(`${folder}/${fileNameOf(chunk)}`) : undefined),
    keep: (compiled) => {
      try {
        if (!isOurs) makeFolder(home, parent, folder);
        for (const [chunk, script] of compiled) replace(`${folder}/${fileNameOf(chunk)}`, script.createCachedData());
      } catch {
        // The disk is full or the home is read-only: the next start compiles again.
      }
    },
  };
}

function makeFolder(home: string | undefined, parent: string, folder: string): void {
  // With `sudo` and the home of another user, files of root would be in that user's way.
  if (home && statSync(home).uid !== process.geteuid?.()) return;
  mkdirSync(parent, { recursive: true, mode: PRIVATE });
  if (!isOwn(parent)) throw new Error("The cache folder belongs to another user.");
  const older = readdirSync(parent).map((name) => ({
    path: `${parent}/${name}`,
    at: lstatSync(`${parent}/${name}`).mtimeMs,
  }));
  for (const { path } of older.toSorted((a, b) => b.at - a.at).slice(MOST_FOLDERS - 1))
    rmSync(path, { recursive: true });
  mkdirSync(folder, { mode: PRIVATE });
}

function isOwn(folder: string): boolean {
  try {
    const stats = lstatSync(folder);
    return stats.isDirectory() && stats.uid === process.geteuid?.() && (stats.mode & WRITABLE_BY_OTHERS) === 0;
  } catch {
    return false;
  }
}

/** Another start may read or write the same file; it sees either version whole. */
function replace(file: string, bytes: Buffer): void {
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, bytes, { mode: 0o600 });
  renameSync(temporary, file);
}

function fileNameOf(chunk: string): string {
  return chunk.replaceAll("/", "+");
}

function bytesOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

function textOf(file: string): string | undefined {
  return bytesOf(file)?.toString("latin1").trim();
}
