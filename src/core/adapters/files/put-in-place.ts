import { type BigIntStats, renameSync } from "node:fs";
import { dirname } from "node:path";
import { FileError } from "../../ports/index.ts";
import { attempting } from "./file-error.ts";
import { temporaryName } from "./names.ts";
import {
  close,
  discard,
  fchmod,
  fchown,
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

const PERMISSIONS = 0o7777;
const NEW = O_WRONLY | O_CREAT | O_EXCL | SAFELY;

interface Place {
  /** Without links. */
  readonly target: string;
  readonly path: string;
  readonly nonce: string;
}

/**
 * Writes a file beside its place, renames it there and syncs the folder. `mayTake` decides right before the rename, and
 * synchronously, because programs without the lock may write at any time. Returns false if it says no. A
 * failure before the rename leaves nothing behind.
 */
export async function putInPlace(
  { target, path, nonce }: Place,
  write: (temporary: string) => Promise<void>,
  mayTake: () => boolean,
): Promise<boolean> {
  // Opened first: a folder that cannot be synced refuses the write before it starts.
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

/** Writes a new file, whole and synced. */
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

/**
 * Writes a new file, whole and synced, with the owner and mode of the file that it will replace. The mode comes last,
 * because a change of owner clears mode bits and others must not read it before.
 */
export async function writeLike(like: BigIntStats, temporary: string, bytes: Uint8Array, path: string): Promise<void> {
  await withFile(temporary, NEW, async (fd) => {
    await writeAll(fd, bytes);
    await keepOwner(fd, like, path);
    await fchmod(fd, Number(like.mode) & PERMISSIONS);
    await fsync(fd);
  });
}

/** Only if it differs: an ordinary user may not change the owner. */
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
    const state = "The new content is in place, but not known to be durable.";
    throw new FileError(error.code, path, `${state} ${error.message}`);
  }
}
