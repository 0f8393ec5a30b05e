import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  fsync,
  isRefusal,
  mayWrite,
  mkdir,
  mkdirs,
  O_CREAT,
  O_EXCL,
  O_RDONLY,
  O_WRONLY,
  withFile,
  writeAll,
} from "./system.ts";

const PRIVATE_FOLDER = 0o700;

/** Also syncs the parents, top first, so that they survive a crash together with the file. */
export async function createFolder(folder: string): Promise<void> {
  const topmost = await makeFolders(folder);
  if (topmost === undefined) return;
  for (let made = folder; made.length >= topmost.length; made = dirname(made)) {
    await syncFolder(dirname(made));
    if (basename(made) === ".svcm") await ignoreInGit(made);
  }
}

/** @throws the system's error if neither the file nor its nearest existing folder is writable */
export async function mayBeAppendedTo(file: string): Promise<void> {
  let nearest = file;
  while (!existsSync(nearest)) nearest = dirname(nearest);
  await mayWrite(nearest);
}

export async function syncFolder(folder: string): Promise<void> {
  await withFile(folder, O_RDONLY, fsync);
}

async function makeFolders(folder: string): Promise<string | undefined> {
  try {
    return await mkdirs(folder, PRIVATE_FOLDER);
  } catch (error) {
    if (!isRefusal(error, "ENOENT")) throw error;
    // `mkdir -p` in Node.js reports ENOENT for every cause, such as a read-only file system.
    let missing = folder;
    while (!existsSync(dirname(missing))) missing = dirname(missing);
    await mkdir(missing, PRIVATE_FOLDER);
    await mkdirs(folder, PRIVATE_FOLDER);
    return missing;
  }
}

async function ignoreInGit(folder: string): Promise<void> {
  try {
    await withFile(join(folder, ".gitignore"), O_WRONLY | O_CREAT | O_EXCL, (fd) => writeAll(fd, Buffer.from("*\n")));
  } catch (error) {
    if (!isRefusal(error, "EEXIST")) throw error;
  }
}
