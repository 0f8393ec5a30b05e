import type { BigIntStats } from "node:fs";

/**
 * One text for the state of a file: another one after every change. Owner and mode are part of it because the times of
 * some systems tick only every few milliseconds.
 */
export function fileState({ dev, ino, size, mtimeNs, ctimeNs, mode, uid, gid }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs, mode, uid, gid].join(":");
}
