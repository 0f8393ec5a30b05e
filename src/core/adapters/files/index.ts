import type { Files, ReadOptions } from "../../ports/index.ts";
import { once, oneAtATime } from "../../words/once.ts";
import { fileLocks } from "./lock.ts";
import { allowedFolders, readInside } from "./read.ts";
import { creator, replacer } from "./write.ts";

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
  const writing = once(() => {
    const surroundings = { folders, locks: fileLocks({ timeoutMs: lockTimeoutMs }), maxBytes };
    return { replace: replacer(surroundings), create: creator(surroundings) };
  });
  const read = oneAtATime((key) => {
    const [path, limits] = JSON.parse(key) as [string, ReadOptions];
    return readInside(folders, path, { maxBytes, ...limits });
  });
  return {
    read: (path, limits = {}) => read(JSON.stringify([path, limits])),
    replace: (...args) => writing().replace(...args),
    create: (...args) => writing().create(...args),
  };
}
