import { FileError, type Files } from "./ports.ts";
import { type BigIntStats, constants, existsSync, renameSync, statSync, lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  attempt,
  checkWritable,
  close,
  discard,
  fchmod,
  fchown,
  fstat,
  fsync,
  hasErrorCode,
  mkdir,
  mkdirRecursive,
  NO_FOLLOW,
  O_CREAT,
  O_EXCL,
  O_RDONLY,
  O_WRONLY,
  open,
  withFile,
  writeAll,
  fileError,
  tooLargeError,
  fileState,
} from "./system.ts";
import type { LockedFile, FileLocks } from "./lock.ts";
import { temporaryName } from "./takeover.ts";
import { once } from "../words/once.ts";
import { type AllowedFolders, readSnapshot } from "./read.ts";

const PERMISSIONS = 0o7777;
const FILE_TYPE = constants.S_IFMT;
const FOLDER = constants.S_IFDIR;
const NEW_FILE = O_WRONLY | O_CREAT | O_EXCL | NO_FOLLOW;
const PRIVATE_FOLDER = 0o700;
export const PRIVATE_FILE = 0o600;

export interface Destination extends LockedFile {
  readonly nonce: string;
}

/** `mayReplace` is synchronous and runs directly before the rename: programs without the lock may write at any time. */
export async function putInPlace(
  { target, path, nonce }: Destination,
  write: (temporary: string) => Promise<void>,
  mayReplace: () => boolean,
): Promise<boolean> {
  // Opened first: if the folder cannot be synced, the write fails before it starts.
  const folder = await attempt("write", path, () => open(dirname(target), O_RDONLY));
  const temporary = temporaryName(target, nonce);
  let isInPlace = false;
  try {
    isInPlace = await attempt("write", path, async () => {
      await write(temporary);
      if (!mayReplace()) return false;
      renameSync(temporary, target);
      return true;
    });
    if (isInPlace) await syncRename(folder, path);
    return isInPlace;
  } finally {
    if (!isInPlace) await discard(temporary);
    await close(folder).catch(() => undefined);
  }
}

async function syncRename(folder: number, path: string): Promise<void> {
  try {
    await attempt("sync the folder of", path, () => fsync(folder));
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const state = "The new content is in place, but may not survive a power cut.";
    throw new FileError(error.code, path, `${state} ${error.message}`);
  }
}

export async function replacePrivate(destination: Destination, bytes: Uint8Array): Promise<void> {
  const write = (temporary: string): Promise<void> => writeNew(temporary, bytes, PRIVATE_FILE);
  await putInPlace(destination, write, () => true);
}

export async function writeNew(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const write = async (fd: number): Promise<void> => {
    await inheritOwner(fd, path);
    await writeAll(fd, bytes);
    await fsync(fd);
  };
  await withFile(path, NEW_FILE, write, mode);
}

/** The mode is set last: a change of owner clears mode bits, and other users must not read the file before. */
async function writeWithOwner(
  temporary: string,
  bytes: Uint8Array,
  original: BigIntStats,
  path: string,
): Promise<void> {
  await withFile(temporary, NEW_FILE, async (fd) => {
    await writeAll(fd, bytes);
    await keepOwner(fd, original, path);
    await fchmod(fd, Number(original.mode) & PERMISSIONS);
    await fsync(fd);
  });
}

/** An ordinary user may not change the owner. */
async function keepOwner(fd: number, { uid, gid }: BigIntStats, path: string): Promise<void> {
  const created = await fstat(fd);
  if (created.uid === uid && created.gid === gid) return;
  await attempt("keep the owner of", path, () => fchown(fd, Number(uid), Number(gid)));
}

/** Also syncs the parents, top first, so that they survive a crash together with the file. */
export async function createFolder(folder: string): Promise<void> {
  const topmost = await makeFolders(folder);
  if (topmost === undefined) return;
  const created: string[] = [];
  for (let path = folder; path.length >= topmost.length; path = dirname(path)) created.unshift(path);
  for (const path of created) await withFile(path, O_RDONLY | NO_FOLLOW, (fd) => inheritOwner(fd, path));
  for (const path of created.toReversed()) {
    await syncFolder(dirname(path));
    if (basename(path) === ".svcm") await ignoreInGit(path);
  }
}

/**
 * A file that root creates in a folder of a user belongs to that user, who could not write it later otherwise:
 * `sudo svcm` runs in the repository of the user.
 */
export async function inheritOwner(fd: number, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const [folder, { uid, nlink, mode }] = [statSync(dirname(path)), await fstat(fd)];
  // A file with another name may be one of the system, which the user linked here.
  const isNew = uid === 0n && (nlink === 1n || (Number(mode) & FILE_TYPE) === FOLDER);
  if (folder.uid !== 0 && isNew) await fchown(fd, folder.uid, folder.gid);
}

async function makeFolders(folder: string): Promise<string | undefined> {
  try {
    return await mkdirRecursive(folder, PRIVATE_FOLDER);
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error;
    // `mkdir -p` in Node.js reports ENOENT for every cause, such as a read-only file system.
    let missing = folder;
    while (!existsSync(dirname(missing))) missing = dirname(missing);
    await mkdir(missing, PRIVATE_FOLDER);
    await mkdirRecursive(folder, PRIVATE_FOLDER);
    return missing;
  }
}

async function ignoreInGit(folder: string): Promise<void> {
  try {
    const path = join(folder, ".gitignore");
    await withFile(path, NEW_FILE, async (fd) => {
      await writeAll(fd, Buffer.from("*\n"));
      await inheritOwner(fd, path);
    });
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw error;
  }
}

export async function syncFolder(folder: string): Promise<void> {
  await withFile(folder, O_RDONLY, fsync);
}

/** @throws the system's error if neither the file nor its nearest existing folder is writable */
export async function checkAppendable(file: string): Promise<void> {
  let nearest = file;
  while (!existsSync(nearest)) nearest = dirname(nearest);
  await checkWritable(nearest);
}

const MAX_ATTEMPTS = 5;
const NEW_FILE_MODE = 0o666;
const OWNER_MAY_WRITE = 0o200n;

type Decide = Parameters<Files["replace"]>[1];

export interface WriteContext {
  readonly folders: AllowedFolders;
  readonly locks: FileLocks;
  readonly maxBytes: number;
}

export async function replace(
  { folders, locks, maxBytes }: WriteContext,
  path: string,
  decide: Decide,
  beforeWrite?: () => Promise<void>,
): Promise<Uint8Array> {
  const announce = once(async () => beforeWrite?.());
  for (let count = 0; count < MAX_ATTEMPTS; count++) {
    // Links may have moved since the previous attempt.
    const target = await folders.resolve(path);
    const transaction = { path, target, decide, beforeWrite: announce, maxBytes };
    const content = await locks.withLock({ target, path }, (nonce) => transact(transaction, nonce));
    if (content !== undefined) return content;
  }
  throw fileError("ECHANGED", "write", path, "another program keeps changing it");
}

interface Transaction {
  readonly path: string;
  readonly target: string;
  readonly decide: Decide;
  readonly beforeWrite: () => Promise<void>;
  readonly maxBytes: number;
}

async function transact(transaction: Transaction, nonce: string): Promise<Uint8Array | undefined> {
  const { path, target, maxBytes } = transaction;
  const { bytes, stat } = await readSnapshot(target, path, maxBytes);
  const next = transaction.decide(bytes, { others: Number(stat.nlink) - 1 });
  if (next === undefined) return bytes;
  if (next.length > maxBytes) throw tooLargeError("write", path, maxBytes);
  requireWritable(stat, path);
  await transaction.beforeWrite();

  const write = (temporary: string): Promise<void> => writeWithOwner(temporary, next, stat, path);
  return (await putInPlace({ target, path, nonce }, write, () => isUnchanged(path, stat))) ? next : undefined;
}

/** A rename needs only permission for the folder, and root needs none at all. */
function requireWritable({ mode }: BigIntStats, path: string): void {
  if ((mode & OWNER_MAY_WRITE) !== 0n) return;
  throw fileError("EACCES", "write", path, "its mode does not permit its owner to write; allow it with chmod u+w");
}

/** @param path before links are resolved, so that a moved link counts as a change */
function isUnchanged(path: string, before: BigIntStats): boolean {
  const now = statSync(path, { bigint: true, throwIfNoEntry: false });
  return now !== undefined && fileState(now) === fileState(before);
}

export async function create(
  { folders, locks, maxBytes }: WriteContext,
  path: string,
  content: Uint8Array,
  beforeWrite?: () => Promise<void>,
): Promise<void> {
  if (content.length > maxBytes) throw tooLargeError("write", path, maxBytes);
  const target = await folders.resolveNew(path);
  await locks.withLock({ target, path }, async (nonce) => {
    requireMissing(target, path);
    await beforeWrite?.();
    await putInPlace(
      { target, path, nonce },
      (temporary) => writeNew(temporary, content, NEW_FILE_MODE),
      () => requireMissing(target, path),
    );
  });
}

function requireMissing(target: string, path: string): true {
  if (lstatSync(target, { throwIfNoEntry: false }) === undefined) return true;
  throw fileError("EEXIST", "create", path, "it exists");
}
