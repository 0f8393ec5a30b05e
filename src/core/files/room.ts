import { statfsSync } from "node:fs";
import type { Room } from "./ports.ts";

/** @param isRoot some blocks are reserved for root */
export function readRoom(path: string, isRoot = false): Room {
  const { bavail, bfree, blocks, bsize, files, ffree } = statfsSync(path);
  return {
    bytes: (isRoot ? bfree : bavail) * bsize,
    files: files > 0 ? ffree : undefined,
    totalBytes: blocks * bsize,
  };
}

/** `12 MiB and 3 files are free` */
export function roomText({ bytes, files }: Room): string {
  return `${Math.floor(bytes / 2 ** 20)} MiB${files === undefined ? "" : ` and ${files} files`} are free`;
}
