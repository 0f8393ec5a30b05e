import { FileError } from "./ports.ts";
import { type BigIntStats, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import {
  fileError,
  isSystemError,
  fchmod,
  fstat,
  fsync,
  hasErrorCode,
  NO_FOLLOW,
  O_APPEND,
  O_CREAT,
  O_RDWR,
  read,
  rename,
  withFile,
  write,
} from "./system.ts";
import { fileLocks, type FileLocks } from "./lock.ts";
import { createFolder, inheritOwner, PRIVATE_FILE, syncFolder } from "./write.ts";
import { open } from "node:fs/promises";

const NEWLINE = 0x0a;
const PERMISSIONS_OF_OTHERS = 0o077;
const ACTION = "record a change in";
const APPEND_FLAGS = O_RDWR | O_APPEND | NO_FOLLOW;

export function createAppender(file: string, rotation: Rotation): (line: string) => Promise<void> {
  const rotate = createRotate(file, rotation);
  let isFolderSynced = false;
  const appendTo = async (fd: number, line: string, mayGrow: boolean): Promise<boolean> => {
    const stat = await fstat(fd);
    if (!stat.isFile()) throw fileError("ENOTREG", ACTION, file);
    if (!mayGrow && stat.size >= rotation.maxBytes) return false;
    await makePrivate(fd, stat, file);
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
    if (isFolderSynced && !isNew) return;
    await syncFolder(dirname(file));
    isFolderSynced = true;
  };
}

interface AppendResult {
  readonly isNew: boolean;
  readonly isWritten: boolean;
}

async function openOrCreate(file: string, use: (fd: number) => Promise<boolean>): Promise<AppendResult> {
  try {
    return { isNew: false, isWritten: await withFile(file, APPEND_FLAGS, use) };
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error;
    await createFolder(dirname(file));
    const create = async (fd: number): Promise<boolean> => {
      await inheritOwner(fd, file);
      return await use(fd);
    };
    return { isNew: true, isWritten: await withFile(file, APPEND_FLAGS | O_CREAT, create, PRIVATE_FILE) };
  }
}

async function makePrivate(fd: number, { mode }: BigIntStats, file: string): Promise<void> {
  if ((Number(mode) & PERMISSIONS_OF_OTHERS) === 0) return;
  try {
    await fchmod(fd, PRIVATE_FILE);
  } catch (error) {
    if (!hasErrorCode(error, "EPERM")) throw error;
    const octal = (Number(mode) & 0o777).toString(8).padStart(4, "0");
    throw fileError("EPERM", ACTION, file, `its mode is ${octal}, and it belongs to another user. Accepted: mode 0600`);
  }
}

/** The system appends each `write` whole. A nearly full disk accepts part of a line, which is then written again. */
async function appendLine(fd: number, line: string, size: number): Promise<void> {
  const onNewLine = Buffer.from(`\n${line}`);
  let bytes = (await endsInNewline(fd, size)) ? onNewLine.subarray(1) : onNewLine;
  while ((await write(fd, bytes)) < bytes.length) bytes = onNewLine;
}

async function endsInNewline(fd: number, size: number): Promise<boolean> {
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  return (await read(fd, last, size - 1)) === 0 || last[0] === NEWLINE;
}

export interface Rotation {
  readonly maxBytes: number;
  readonly maxOldFiles: number;
}

export const DEFAULT_ROTATION: Rotation = { maxBytes: 64 * 2 ** 20, maxOldFiles: 10 };

const LOCK_TIMEOUT_MS = 2_000;

export function rotatedPaths(file: string, { maxOldFiles }: Rotation): string[] {
  return Array.from({ length: maxOldFiles }, (_, index) => `${file}.${index + 1}`);
}

/** If a process is killed between two renames, the next rotation fills the gap. */
function createRotate(file: string, rotation: Rotation): () => Promise<void> {
  let locks: FileLocks | undefined;
  return async () => {
    locks ??= fileLocks({ timeoutMs: LOCK_TIMEOUT_MS });
    try {
      await locks.withLock({ target: file, path: file }, () => renameFiles(file, rotation));
    } catch (error) {
      if (!(error instanceof FileError) && !isSystemError(error)) throw error;
    }
  };
}

async function renameFiles(file: string, rotation: Rotation): Promise<void> {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) < rotation.maxBytes) return;
  const names = [file, ...rotatedPaths(file, rotation)];
  const gap = names.findIndex((name) => !existsSync(name));
  for (let to = gap === -1 ? names.length - 1 : gap; to > 0; to -= 1) {
    await rename(names[to - 1] ?? file, names[to] ?? file);
  }
  await syncFolder(dirname(file));
}

/** Journals: an event a line, only ever appended. */

export async function appendEvent(path: string, event: object): Promise<void> {
  const file = await open(path, "a", 0o600);
  try {
    await inheritOwner(file.fd, path);
    await file.appendFile(`${JSON.stringify(event)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Without a line that a crash has torn. */
export function parseEvents<Event>(text: string): Event[] {
  return text.split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line) as Event];
    } catch {
      return [];
    }
  });
}
