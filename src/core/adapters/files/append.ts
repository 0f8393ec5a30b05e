import { type BigIntStats, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { refuse } from "./file-error.ts";
import {
  fchmod,
  fstat,
  fsync,
  isRefusal,
  O_APPEND,
  O_CREAT,
  O_RDWR,
  read,
  rename,
  SAFELY,
  withFile,
  write,
} from "./system.ts";
import { createFolder, syncFolder } from "./folder.ts";
import { FileError } from "../../ports/index.ts";
import { fileLocks, type FileLocks } from "./lock.ts";

const NEWLINE = 0x0a;
const PRIVATE_FILE = 0o600;
const OTHERS = 0o077;
const ACTION = "record a change in";
const APPENDING = O_RDWR | O_APPEND | SAFELY;

/** When the promise resolves, the line is on disk. */
export function appender(file: string, rotation: Rotation): (line: string) => Promise<void> {
  const rotate = rotator(file, rotation);
  let isPlaceSynced = false;
  const appendTo = async (fd: number, line: string, mayGrow: boolean): Promise<boolean> => {
    const stat = await fstat(fd);
    if (!stat.isFile()) throw refuse("ENOTREG", ACTION, file);
    if (!mayGrow && stat.size >= rotation.maxBytes) return false;
    await keepPrivate(fd, stat, file);
    await appendLine(fd, line, Number(stat.size));
    await fsync(fd);
    return true;
  };
  return async (line) => {
    let { isNew, isWritten } = await openOrCreate(file, (fd) => appendTo(fd, line, false));
    if (!isWritten) {
      await rotate();
      // Keeping records matters more than the limit.
      ({ isNew } = await openOrCreate(file, (fd) => appendTo(fd, line, true)));
    }
    if (isPlaceSynced && !isNew) return;
    await syncFolder(dirname(file));
    isPlaceSynced = true;
  };
}

interface Opened {
  readonly isNew: boolean;
  readonly isWritten: boolean;
}

async function openOrCreate(file: string, use: (fd: number) => Promise<boolean>): Promise<Opened> {
  try {
    return { isNew: false, isWritten: await withFile(file, APPENDING, use) };
  } catch (error) {
    if (!isRefusal(error, "ENOENT")) throw error;
    await createFolder(dirname(file));
    return { isNew: true, isWritten: await withFile(file, APPENDING | O_CREAT, use, PRIVATE_FILE) };
  }
}

async function keepPrivate(fd: number, { mode }: BigIntStats, file: string): Promise<void> {
  if ((Number(mode) & OTHERS) === 0) return;
  try {
    await fchmod(fd, PRIVATE_FILE);
  } catch (error) {
    if (!isRefusal(error, "EPERM")) throw error;
    const octal = (Number(mode) & 0o777).toString(8).padStart(4, "0");
    throw refuse("EPERM", ACTION, file, `its mode is ${octal}, and it belongs to another user. Accepted: mode 0600`);
  }
}

/** The system appends each `write` whole. A nearly full disk accepts part of a line, which is then written again. */
async function appendLine(fd: number, line: string, size: number): Promise<void> {
  const repeated = Buffer.from(`\n${line}`);
  let bytes = (await endsInNewline(fd, size)) ? repeated.subarray(1) : repeated;
  while ((await write(fd, bytes)) < bytes.length) bytes = repeated;
}

async function endsInNewline(fd: number, size: number): Promise<boolean> {
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  return (await read(fd, last, size - 1)) === 0 || last[0] === NEWLINE;
}

export interface Rotation {
  readonly maxBytes: number;
  readonly kept: number;
}

export const DEFAULT_ROTATION: Rotation = { maxBytes: 64 * 2 ** 20, kept: 10 };

const LOCK_MS = 2_000;

export function olderFiles(file: string, { kept }: Rotation): string[] {
  return Array.from({ length: kept }, (_, index) => `${file}.${index + 1}`);
}

/** If a process is killed between two renames, the next rotation fills the gap. */
function rotator(file: string, rotation: Rotation): () => Promise<void> {
  let locks: FileLocks | undefined;
  return async () => {
    locks ??= fileLocks({ timeoutMs: LOCK_MS });
    try {
      await locks.hold({ target: file, path: file }, () => moveAside(file, rotation));
    } catch (error) {
      if (!(error instanceof FileError) && !isSystemError(error)) throw error;
    }
  };
}

async function moveAside(file: string, rotation: Rotation): Promise<void> {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) < rotation.maxBytes) return;
  const names = [file, ...olderFiles(file, rotation)];
  const gap = names.findIndex((name) => !existsSync(name));
  for (let to = gap === -1 ? names.length - 1 : gap; to > 0; to -= 1) {
    await rename(names[to - 1] ?? file, names[to] ?? file);
  }
  await syncFolder(dirname(file));
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
