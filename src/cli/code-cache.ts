import { readFileSync } from "node:fs";
import type { Script } from "node:vm";
import { userCache } from "../core/files/user-cache.ts";

/** Identifies the content of a build, because V8 compares only the length of the source. */
export const BUILD_ID_FILE = "build-id";

export interface CodeCache {
  readonly read: (chunk: string) => Buffer | undefined;
  /** A failure is not an error: the next start compiles again. */
  readonly keep: (compiled: ReadonlyMap<string, Script>) => void;
}

/**
 * `undefined` without a cache folder. The package contains no compiled code, because it fits only one Node.js version.
 */
export function userCodeCache(dist: string, env: NodeJS.ProcessEnv): CodeCache | undefined {
  const build = trimmedText(`${dist}/${BUILD_ID_FILE}`);
  const cache = build === undefined ? undefined : userCache(`${build}-node${process.versions.v8}-${process.arch}`, env);
  return (
    cache && {
      read: (chunk) => cache.read(fileNameOf(chunk)),
      keep: (compiled) =>
        cache.store(() => Array.from(compiled, ([chunk, script]) => [fileNameOf(chunk), script.createCachedData()])),
    }
  );
}

function fileNameOf(chunk: string): string {
  return chunk.replaceAll("/", "+");
}

function trimmedText(file: string): string | undefined {
  try {
    return readFileSync(file, "latin1").trim();
  } catch {
    return undefined;
  }
}
