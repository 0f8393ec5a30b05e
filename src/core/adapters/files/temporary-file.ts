import type { BigIntStats } from "node:fs";
import { attempting } from "./file-error.ts";
import { fchmod, fchown, fstat, fsync, O_CREAT, O_EXCL, O_WRONLY, SAFELY, withFile, writeAll } from "./system.ts";

const PERMISSIONS = 0o7777;

/**
 * Writes a new synced file with the owner and mode of the file that it will replace. The mode comes last, because a
 * change of owner clears mode bits, and others must not read the file earlier.
 */
export async function writeLike(like: BigIntStats, temporary: string, bytes: Uint8Array, path: string) {
  await withFile(temporary, O_WRONLY | O_CREAT | O_EXCL | SAFELY, async (fd) => {
    await writeAll(fd, bytes);
    await keepOwner(fd, like, path);
    await fchmod(fd, Number(like.mode) & PERMISSIONS);
    await fsync(fd);
  });
}

/** An ordinary user may not change the owner, so an equal owner is not set. */
async function keepOwner(fd: number, like: BigIntStats, path: string): Promise<void> {
  const made = await fstat(fd);
  if (made.uid === like.uid && made.gid === like.gid) return;
  await attempting("keep the owner of", path, () => fchown(fd, Number(like.uid), Number(like.gid)));
}
