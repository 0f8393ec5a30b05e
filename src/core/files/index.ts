import { lstatSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { FileStamp, FileStamps, Files, ReadOptions, WriteOptions } from "./ports.ts";

import { once, oneAtATime } from "../words/once.ts";
import { fileLocks } from "./lock.ts";
import { allowedFolders, readAllowed } from "./read.ts";
import { fileState, hasErrorCode, listIfReadable } from "./system.ts";
import { create, replace, type WriteContext } from "./write.ts";

export interface NodeFilesOptions {
  /** svcm does not read or write files outside these folders, not even through links. */
  readonly allowedFolders: readonly string[];
  readonly maxBytes?: number;
  readonly lockTimeoutMs?: number;
}

const MIB = 2 ** 20;

export function nodeFiles(options: NodeFilesOptions): Files {
  const { maxBytes = MIB, lockTimeoutMs = 10_000 } = options;
  const folders = allowedFolders(options.allowedFolders);
  // Commands that only read do not load the code that writes.
  const writing = once((): WriteContext => ({ folders, locks: fileLocks({ timeoutMs: lockTimeoutMs }), maxBytes }));
  const within = (path: string, { mayBeOutside = false }: WriteOptions = {}): WriteContext =>
    mayBeOutside && folders.isOutside(path)
      ? { ...writing(), folders: allowedFolders([dirname(resolve(path))]) }
      : writing();
  const read = oneAtATime((key) => {
    const [path, limits] = JSON.parse(key) as [string, ReadOptions];
    return readAllowed(folders, path, { maxBytes, ...limits });
  });
  return {
    read: (path, limits = {}) => read(JSON.stringify([path, limits])),
    replace: (path, decide, beforeWrite, place) => replace(within(path, place), path, decide, beforeWrite),
    create: (path, content, beforeWrite, place) => create(within(path, place), path, content, beforeWrite),
  };
}

/** Synchronous, because there are few files and each call takes microseconds. Frozen, because all ports share it. */
export const nodeFileStamps: FileStamps = Object.freeze({
  read: (paths) => paths.map(readStamp),
  names: listIfReadable,
  missing: (paths) => new Set([...paths].filter(isMissing)),
} satisfies FileStamps);

function readStamp(path: string): FileStamp | null {
  try {
    const stats = statSync(path, { bigint: true });
    const link = lstatSync(path, { bigint: true });
    const changedNs = stats.ctimeNs > link.ctimeNs ? stats.ctimeNs : link.ctimeNs;
    return { id: fileState(stats), modifiedMs: Number(stats.mtimeMs), changedMs: Number(changedNs) / 1e6 };
  } catch {
    return null;
  }
}

function isMissing(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    return hasErrorCode(error, "ENOENT", "ENOTDIR");
  }
}
