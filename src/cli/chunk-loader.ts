import { readFileSync } from "node:fs";
import { Script } from "node:vm";
import { userCache } from "../core/files/user-cache.ts";

/** For example `commands/env/get.cjs`. */
export type LoadChunk = (chunk: string) => unknown;

export interface ChunkLoaderOptions {
  readonly dist: string;
  /** V8 itself refuses code from another version or with other flags. */
  readonly codeCache: Pick<CodeCache, "read">;
  readonly nodeRequire: NodeJS.Require;
  readonly onLoaded: (chunk: string, loaded: { readonly script: Script; readonly isKept: boolean }) => void;
}

/**
 * Compiled code of an earlier start halves the start time. It has no loader, so a chunk must not contain `import()`.
 */
export function chunkLoader(options: ChunkLoaderOptions): LoadChunk {
  const { dist, nodeRequire } = options;
  const loaded = new Map<string, { exports: unknown }>();

  function load(chunk: string): unknown {
    const known = loaded.get(chunk);
    if (known) return known.exports;
    const module = { exports: {} };
    loaded.set(chunk, module);
    const file = `${dist}/${chunk}`;
    const folder = chunk.slice(0, Math.max(0, chunk.lastIndexOf("/")));
    try {
      const run = compile(options, chunk, file);
      run.call(module.exports, module.exports, requireFrom(folder), module, file, `${dist}/${folder}`);
    } catch (error) {
      loaded.delete(chunk);
      throw error;
    }
    return module.exports;
  }

  function requireFrom(folder: string): NodeJS.Require {
    const require = (id: string): unknown => {
      if (id.startsWith(".")) return load(chunkAt(folder, id));
      return id.startsWith(`${dist}/`) ? load(id.slice(dist.length + 1)) : nodeRequire(id);
    };
    const { cache, extensions, main, resolve } = nodeRequire;
    return Object.assign(require, { cache, extensions, main, resolve });
  }

  return load;
}

type ModuleFunction = (exports: unknown, require: NodeJS.Require, module: object, file: string, folder: string) => void;

function compile({ codeCache, onLoaded }: ChunkLoaderOptions, chunk: string, file: string): ModuleFunction {
  const cachedData = codeCache.read(chunk);
  const code = `(function (exports, require, module, __filename, __dirname) { ${readFileSync(file, "utf8")}\n})`;
  const script = new Script(code, { filename: `svcm/dist/${chunk}`, ...(cachedData && { cachedData }) });
  onLoaded(chunk, { script, isKept: script.cachedDataRejected === false });
  return script.runInThisContext() as ModuleFunction;
}

/** Loading `node:path` would take longer than the rest. */
function chunkAt(folder: string, id: string): string {
  const steps = folder === "" ? [] : folder.split("/");
  for (const step of id.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== ".") steps.push(step);
  }
  return steps.join("/");
}

/** Identifies the content of a build, because V8 compares only the length of the source. */
export const BUILD_ID_FILE = "build-id";

interface CodeCache {
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
