import { type BigIntStats, lstatSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { FileError, type Files } from "../../ports/index.ts";
import { once } from "../../words/once.ts";
import { attempting, refuse } from "./file-error.ts";
import type { FileLocks } from "./lock.ts";
import { type AllowedFolders, readWhole, tooLarge } from "./read.ts";
import { temporaryName } from "./succession.ts";
import {
  close,
  discard,
  fchmod,
  fchown,
  fileState,
  fstat,
  fsync,
  O_CREAT,
  O_EXCL,
  O_RDONLY,
  O_WRONLY,
  open,
  SAFELY,
  withFile,
  writeAll,
} from "./system.ts";

const MAX_RUNS = 5;

/** Links may have moved since the previous run. */
interface Run {
  readonly path: string;
  readonly target: string;
  readonly decide: (current: Uint8Array) => Uint8Array | undefined;
  readonly beforeWrite: () => Promise<void>;
  readonly maxBytes: number;
}

interface Surroundings {
  readonly folders: AllowedFolders;
  readonly locks: FileLocks;
  readonly maxBytes: number;
}

export function replacer({ folders, locks, maxBytes }: Surroundings): Files["replace"] {
  return async (path, decide, beforeWrite) => {
    const announce = once(async () => beforeWrite?.());
    for (let run = 0; run < MAX_RUNS; run++) {
      const target = await folders.resolve(path);
      const plan = { path, target, decide, beforeWrite: announce, maxBytes };
      const content = await locks.hold({ target, path }, (nonce) => transact(plan, nonce));
      if (content !== undefined) return content;
    }
    throw refuse("ECHANGED", "write", path, "another program keeps changing it");
  };
}

async function transact(run: Run, nonce: string): Promise<Uint8Array | undefined> {
  const current = await readWhole(run.target, run.path, run.maxBytes);
  const next = run.decide(current.bytes);
  if (next === undefined) return current.bytes;
  if (next.length > run.maxBytes) throw tooLarge("write", run.path, run.maxBytes);
  requireWritable(current.stat, run.path);
  await run.beforeWrite();

  const write = (temporary: string): Promise<void> => writeLike(current.stat, temporary, next, run.path);
  const place = { target: run.target, path: run.path, nonce };
  return (await putInPlace(place, write, () => isUnchanged(run, current.stat))) ? next : undefined;
}

/** A rename needs only permission for the folder, and root needs none at all. */
function requireWritable({ mode }: BigIntStats, path: string): void {
  if ((mode & OWNER_MAY_WRITE) !== 0n) return;
  throw refuse("EACCES", "write", path, "its mode does not permit its owner to write; allow it with chmod u+w");
}

const OWNER_MAY_WRITE = 0o200n;

/** The given path is used to detect a moved link as well. */
function isUnchanged({ path }: Run, seen: BigIntStats): boolean {
  const now = statSync(path, { bigint: true, throwIfNoEntry: false });
  return now !== undefined && fileState(now) === fileState(seen);
}

const NEW_FILE_MODE = 0o666;

export function creator({ folders, locks, maxBytes }: Surroundings): Files["create"] {
  return async (path, content, beforeWrite) => {
    if (content.length > maxBytes) throw tooLarge("write", path, maxBytes);
    const target = await folders.resolveNew(path);
    await locks.hold({ target, path }, async (nonce) => {
      refuseExisting(target, path);
      await beforeWrite?.();
      await putInPlace(
        { target, path, nonce },
        (temporary) => writeNew(temporary, content, NEW_FILE_MODE),
        () => refuseExisting(target, path),
      );
    });
  };
}

function refuseExisting(target: string, path: string): true {
  if (lstatSync(target, { throwIfNoEntry: false }) === undefined) return true;
  throw refuse("EEXIST", "create", path, "it exists");
}

const PERMISSIONS = 0o7777;
const NEW = O_WRONLY | O_CREAT | O_EXCL | SAFELY;

interface Place {
  readonly target: string;
  readonly path: string;
  readonly nonce: string;
}

/** `mayTake` is synchronous and runs directly before the rename: programs without the lock may write at any time. */
export async function putInPlace(
  { target, path, nonce }: Place,
  write: (temporary: string) => Promise<void>,
  mayTake: () => boolean,
): Promise<boolean> {
  // Opened first: if the folder cannot be synced, the write fails before it starts.
  const folder = await attempting("write", path, () => open(dirname(target), O_RDONLY));
  const temporary = temporaryName(target, nonce);
  let isInPlace = false;
  try {
    isInPlace = await attempting("write", path, async () => {
      await write(temporary);
      if (!mayTake()) return false;
      renameSync(temporary, target);
      return true;
    });
    if (isInPlace) await syncFolder(folder, path);
    return isInPlace;
  } finally {
    if (!isInPlace) await discard(temporary);
    await close(folder).catch(() => undefined);
  }
}

export async function writeNew(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  await withFile(
    path,
    NEW,
    async (fd) => {
      await writeAll(fd, bytes);
      await fsync(fd);
    },
    mode,
  );
}

/** The mode is set last: a change of owner clears mode bits, and other users must not read the file before. */
async function writeLike(like: BigIntStats, temporary: string, bytes: Uint8Array, path: string): Promise<void> {
  await withFile(temporary, NEW, async (fd) => {
    await writeAll(fd, bytes);
    await keepOwner(fd, like, path);
    await fchmod(fd, Number(like.mode) & PERMISSIONS);
    await fsync(fd);
  });
}

/** An ordinary user may not change the owner. */
async function keepOwner(fd: number, like: BigIntStats, path: string): Promise<void> {
  const made = await fstat(fd);
  if (made.uid === like.uid && made.gid === like.gid) return;
  await attempting("keep the owner of", path, () => fchown(fd, Number(like.uid), Number(like.gid)));
}

async function syncFolder(fd: number, path: string): Promise<void> {
  try {
    await attempting("sync the folder of", path, () => fsync(fd));
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const state = "The new content is in place, but may not survive a power cut.";
    throw new FileError(error.code, path, `${state} ${error.message}`);
  }
}
