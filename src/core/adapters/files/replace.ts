import { type BigIntStats, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { FileError, type Files } from "../../ports/index.ts";
import type { AllowedFolders } from "./allowed-folders.ts";
import { attempting, refuse } from "./file-error.ts";
import type { FileLocks } from "./lock.ts";
import { temporaryName } from "./names.ts";
import { readWhole, tooLarge } from "./read.ts";
import { fileState } from "./state.ts";
import { close, discard, fsync, O_RDONLY, open } from "./system.ts";
import { writeLike } from "./temporary-file.ts";

/** Attempts before another writer wins. */
const MAX_RUNS = 5;

/** Each run resolves the path again, because links may have moved. */
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
    const announce = once(beforeWrite);
    for (let run = 0; run < MAX_RUNS; run++) {
      const target = await folders.resolve(path);
      const plan = { path, target, decide, beforeWrite: announce, maxBytes };
      const content = await locks.hold({ target, path }, (nonce) => transact(plan, nonce));
      if (content !== undefined) return content;
    }
    throw refuse("ECHANGED", "write", path, "another program keeps changing it");
  };
}

/** The content in place; `undefined` if another program changed the file in between. */
async function transact(run: Run, nonce: string): Promise<Uint8Array | undefined> {
  const current = await readWhole(run.target, run.path, run.maxBytes);
  const next = run.decide(current.bytes);
  if (next === undefined) return current.bytes;
  if (next.length > run.maxBytes) throw tooLarge("write", run.path, run.maxBytes);
  requireWritable(current.stat, run.path);
  await run.beforeWrite();

  // Opened first, so a folder that cannot be synced refuses the write before it starts.
  const folder = await attempting("write", run.path, () => open(dirname(run.target), O_RDONLY));
  try {
    const temporary = temporaryName(run.target, nonce);
    if (!(await putInPlace(run, temporary, current.stat, next))) return undefined;
    await syncFolder(folder, run.path);
    return next;
  } finally {
    await close(folder).catch(() => undefined);
  }
}

/** A rename needs only the folder's permission, and root needs none, so the file's mode is checked. */
function requireWritable({ mode }: BigIntStats, path: string): void {
  if ((mode & OWNER_MAY_WRITE) !== 0n) return;
  throw refuse("EACCES", "write", path, "its mode does not permit its owner to write; allow it with chmod u+w");
}

const OWNER_MAY_WRITE = 0o200n;

async function putInPlace(run: Run, temporary: string, seen: BigIntStats, next: Uint8Array) {
  let isInPlace = false;
  try {
    isInPlace = await attempting("write", run.path, async () => {
      await writeLike(seen, temporary, next, run.path);
      return renameUnlessChanged(temporary, run, seen);
    });
    return isInPlace;
  } finally {
    if (!isInPlace) await discard(temporary);
  }
}

/** Synchronous, because programs without the lock may write at any time. Follows the path, because a link may move. */
function renameUnlessChanged(temporary: string, run: Run, seen: BigIntStats): boolean {
  const now = statSync(run.path, { bigint: true, throwIfNoEntry: false });
  if (now === undefined || fileState(now) !== fileState(seen)) return false;
  renameSync(temporary, run.target);
  return true;
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

function once(step: (() => Promise<void>) | undefined): () => Promise<void> {
  let isDone = false;
  return async () => {
    if (isDone) return;
    isDone = true;
    await step?.();
  };
}
