import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";

/** Further folders are left over from earlier versions of svcm or Node.js. */
const MAX_FOLDERS = 8;
const PRIVATE = 0o700;
const WRITABLE_BY_OTHERS = 0o022;

export interface UserCache {
  readonly read: (name: string) => Buffer | undefined;
  readonly store: (files: () => Iterable<readonly [name: string, content: Uint8Array]>) => void;
}

/** Because svcm trusts the content, a folder is not used if another user owns it or may write to it. */
export function userCache(name: string, env: Readonly<Record<string, string | undefined>>): UserCache | undefined {
  const { XDG_CACHE_HOME: cache, HOME: home } = env;
  const base = cache || (home && `${home}/.cache`);
  if (!base || !base.startsWith("/")) return undefined;
  const parent = `${base}/svcm`;
  const folder = `${parent}/${name}`;
  const isUsable = isOwnFolder(folder);
  return {
    read: (file) => (isUsable ? readQuietly(`${folder}/${file}`) : undefined),
    store: (files) => {
      try {
        if (!isUsable) makeFolder(home, parent, folder);
        for (const [file, content] of files()) replace(`${folder}/${file}`, content);
      } catch {
        // The next start repeats the work.
      }
    },
  };
}

function makeFolder(home: string | undefined, parent: string, folder: string): void {
  // Under `sudo` with another user's home, files of root would block that user later.
  if (home && statSync(home).uid !== process.geteuid?.()) return;
  mkdirSync(parent, { recursive: true, mode: PRIVATE });
  if (!isOwnFolder(parent)) throw new Error("The cache folder belongs to another user.");
  const older = readdirSync(parent).map((name) => ({
    path: `${parent}/${name}`,
    at: lstatSync(`${parent}/${name}`).mtimeMs,
  }));
  for (const { path } of older.toSorted((a, b) => b.at - a.at).slice(MAX_FOLDERS - 1))
    rmSync(path, { recursive: true });
  mkdirSync(folder, { mode: PRIVATE });
}

function isOwnFolder(folder: string): boolean {
  try {
    const stats = lstatSync(folder);
    return stats.isDirectory() && stats.uid === process.geteuid?.() && (stats.mode & WRITABLE_BY_OTHERS) === 0;
  } catch {
    return false;
  }
}

/** Another start may read or write the file at the same time. */
function replace(file: string, bytes: Uint8Array): void {
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, bytes, { mode: 0o600 });
  renameSync(temporary, file);
}

function readQuietly(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
