import { lstatSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import type { Files } from "../../ports/index.ts";
import type { AllowedFolders } from "./allowed-folders.ts";
import { attempting, refuse } from "./file-error.ts";
import type { FileLocks } from "./lock.ts";
import { temporaryName } from "./names.ts";
import { tooLarge } from "./read.ts";
import {
  close,
  discard,
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

const MODE = 0o666;

interface Surroundings {
  readonly folders: AllowedFolders;
  readonly locks: FileLocks;
  readonly maxBytes: number;
}

export function creator({ folders, locks, maxBytes }: Surroundings): Files["create"] {
  return async (path, content, beforeWrite) => {
    if (content.length > maxBytes) throw tooLarge("write", path, maxBytes);
    const target = await folders.resolveNew(path);
    const folder = dirname(target);
    await locks.hold({ target, path }, async (nonce) => {
      refuseExisting(target, path);
      await beforeWrite?.();
      await putInPlace({ folder, target, path, temporary: temporaryName(target, nonce) }, content);
    });
  };
}

interface Place {
  readonly folder: string;
  readonly target: string;
  readonly path: string;
  readonly temporary: string;
}

async function putInPlace({ folder, target, path, temporary }: Place, content: Uint8Array): Promise<void> {
  const handle = await attempting("write", path, () => open(folder, O_RDONLY));
  let isInPlace = false;
  try {
    await attempting("write", path, async () => {
      await withFile(temporary, O_WRONLY | O_CREAT | O_EXCL | SAFELY, (fd) => writeSynced(fd, content), MODE);
      // Without an await in between, because programs without the lock may create the file at any time.
      refuseExisting(target, path);
      renameSync(temporary, target);
      isInPlace = true;
      await fsync(handle);
    });
  } finally {
    if (!isInPlace) await discard(temporary);
    await close(handle).catch(() => undefined);
  }
}

async function writeSynced(fd: number, content: Uint8Array): Promise<void> {
  await writeAll(fd, content);
  await fsync(fd);
}

function refuseExisting(target: string, path: string): void {
  if (lstatSync(target, { throwIfNoEntry: false }) !== undefined) throw refuse("EEXIST", "create", path, "it exists");
}
