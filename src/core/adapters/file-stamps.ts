import { statSync } from "node:fs";
import type { FileStamp, FileStamps } from "../ports/machine.ts";
import { fileState } from "./files/system.ts";

/** Synchronous, because there are few files and each call takes microseconds. */
export const nodeFileStamps: FileStamps = {
  read: (paths) => paths.map(stampOf),
  missing: (paths) => new Set([...paths].filter(isMissing)),
};

function stampOf(path: string): FileStamp | null {
  try {
    const stats = statSync(path, { bigint: true });
    return { id: fileState(stats), modifiedMs: Number(stats.mtimeMs) };
  } catch {
    return null;
  }
}

function isMissing(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    return ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
  }
}
