import type { BigIntStats } from "node:fs";

/**
 * Differs after every change. Owner and mode count, because the times of some systems tick only every few milliseconds.
 */
export function fileState({ dev, ino, size, mtimeNs, ctimeNs, mode, uid, gid }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs, mode, uid, gid].join(":");
}
