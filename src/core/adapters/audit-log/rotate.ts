import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { FileError } from "../../ports/index.ts";
import { fileLocks, type FileLocks } from "../files/lock.ts";
import { rename } from "../files/system.ts";
import { syncFolder } from "./folder.ts";

export interface Rotation {
  readonly maxBytes: number;
  readonly kept: number;
}

export const DEFAULT_ROTATION: Rotation = { maxBytes: 64 * 2 ** 20, kept: 10 };

const LOCK_MS = 2_000;

export function olderFiles(file: string, { kept }: Rotation): string[] {
  return Array.from({ length: kept }, (_, index) => `${file}.${index + 1}`);
}

/**
 * Renames a full log once, even if several processes find it full. Each file moves to the next higher name, oldest
 * first. A process that is killed in between leaves a gap, which the next rotation fills. A writer with the old file
 * open still appends to it.
 */
export function rotator(file: string, rotation: Rotation): () => Promise<void> {
  let locks: FileLocks | undefined;
  return async () => {
    locks ??= fileLocks({ timeoutMs: LOCK_MS });
    try {
      await locks.hold({ target: file, path: file }, () => moveAside(file, rotation));
    } catch (error) {
      // A log that cannot be renamed grows, because records are worth more than the limit.
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
