import { basename, dirname, join } from "node:path";
import { refuse } from "../files/file-error.ts";
import {
  fstat,
  fsync,
  isRefusal,
  mkdirs,
  O_APPEND,
  O_CREAT,
  O_EXCL,
  O_RDONLY,
  O_RDWR,
  O_WRONLY,
  read,
  SAFELY,
  withFile,
  write,
  writeAll,
} from "../files/system.ts";

const NEWLINE = 0x0a;
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
const APPENDING = O_RDWR | O_APPEND | SAFELY;

/**
 * Appends lines that are on the disk when it resolves. The file's place in its folder is synced
 * with the first line of this instance: also where the file is there already, for another process
 * may have created it just now.
 */
export function appender(file: string): (line: string) => Promise<void> {
  let isPlaceSynced = false;
  return async (line) => {
    const isNew = await openOrCreate(file, async (fd) => {
      await appendLine(fd, line, file);
      await fsync(fd);
    });
    if (isPlaceSynced && !isNew) return;
    await syncFolder(dirname(file));
    isPlaceSynced = true;
  };
}

/** Resolves with whether there was no such file. */
async function openOrCreate(file: string, use: (fd: number) => Promise<void>): Promise<boolean> {
  try {
    await withFile(file, APPENDING, use);
    return false;
  } catch (error) {
    if (!isRefusal(error, "ENOENT")) throw error;
    await createFolder(dirname(file));
    await withFile(file, APPENDING | O_CREAT, use, PRIVATE_FILE);
    return true;
  }
}

/** Synced from the top, so that whoever finds the file may rely on the folders above it. */
async function createFolder(folder: string): Promise<void> {
  const topmost = await mkdirs(folder, PRIVATE_FOLDER);
  if (topmost === undefined) return;
  for (let made = folder; made.length >= topmost.length; made = dirname(made)) {
    await syncFolder(dirname(made));
  }
  if (basename(folder) === ".svcm") await ignoreInGit(folder);
}

/** What svcm writes down is about this machine: it does not belong into the repository. */
async function ignoreInGit(folder: string): Promise<void> {
  try {
    await withFile(join(folder, ".gitignore"), O_WRONLY | O_CREAT | O_EXCL, (fd) => writeAll(fd, Buffer.from("*\n")));
  } catch (error) {
    if (!isRefusal(error, "EEXIST")) throw error;
  }
}

/**
 * One `write` for the whole line: the system puts each at the end, one after the other, whoever
 * writes. A nearly full disk takes a part; then the line begins again, on a line of its own, until
 * it fits or the system says what is wrong.
 */
async function appendLine(fd: number, line: string, file: string): Promise<void> {
  const stat = await fstat(fd);
  if (!stat.isFile()) throw refuse("ENOTREG", "record a change in", file);
  const afresh = Buffer.from(`\n${line}`);
  let bytes = (await endsInNewline(fd, Number(stat.size))) ? afresh.subarray(1) : afresh;
  while ((await write(fd, bytes)) < bytes.length) bytes = afresh;
}

/** Not so after a crash in the middle of a line. */
async function endsInNewline(fd: number, size: number): Promise<boolean> {
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  return (await read(fd, last, size - 1)) === 0 || last[0] === NEWLINE;
}

async function syncFolder(folder: string): Promise<void> {
  await withFile(folder, O_RDONLY, fsync);
}
