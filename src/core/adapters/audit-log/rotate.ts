import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { FileError } from "../../ports/index.ts";
import { fileLocks, type FileLocks } from "../files/lock.ts";
import { rename } from "../files/system.ts";
import { syncFolder } from "./folder.ts";

/** When a log begins a new file, and how many older ones stay. */
export interface Rotation {
  readonly maxBytes: number;
  readonly kept: number;
}

export const DEFAULT_ROTATION: Rotation = { maxBytes: 64 * 2 ** 20, kept: 10 };

const LOCK_MS = 2_000;

/** The older files of a log, the newest first: `audit.jsonl.1`, `audit.jsonl.2` and so on. */
export function olderFiles(file: string, { kept }: Rotation): string[] {
  return Array.from({ length: kept }, (_, index) => `${file}.${index + 1}`);
}

/**
 * Moves a full log aside, once, whichever processes find it full. Files only ever move to the next higher name, each by one
 * rename, the oldest first: a process that is killed in between leaves a gap, which the next rotation fills.
 * A writer that holds the old file open still appends to it, under its new name.
 */
export function rotator(file: string, rotation: Rotation): () => Promise<void> {
  let locks: FileLocks | undefined;
  return async () => {
    locks ??= fileLocks({ timeoutMs: LOCK_MS });
    try {
      await locks.hold({ target: file, path: file }, () => moveAside(file, rotation));
    } catch (error) {
      // A log that cannot be moved grows until it can: a record is worth more than the bound.
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
