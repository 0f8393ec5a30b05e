import { createReadStream, createWriteStream, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { chmod, chown, utimes } from "node:fs/promises";
import { createGzip } from "node:zlib";
import { discard, fsync, O_RDWR, rename, withFile } from "../../files/system.ts";
import { syncFolder } from "../../files/write.ts";

/** Level 9 takes six times as long, and saves an eighth of the space. */
const LEVEL = 1;

/** Replaces a file by its compressed form, with the same times: the order of rotated files rests on them. */
export async function pack(path: string, onStep?: (step: string) => void): Promise<void> {
  const packed = `${path}.gz`;
  if (!existsSync(path)) return;
  if (!existsSync(packed)) {
    const temporary = `${packed}.tmp`;
    await discard(temporary);
    const { mode, atime, mtime, uid, gid } = statSync(path);
    await pipeline(
      createReadStream(path),
      createGzip({ level: LEVEL }),
      createWriteStream(temporary, { flags: "wx", mode: 0o600 }),
    );
    if (process.getuid?.() === 0) await chown(temporary, uid, gid);
    await chmod(temporary, mode & 0o666);
    await withFile(temporary, O_RDWR, fsync);
    await utimes(temporary, atime, mtime);
    await rename(temporary, packed);
    await syncFolder(dirname(path));
    onStep?.("packed");
  }
  await discard(path);
  onStep?.("unpacked gone");
}
