import { readFileSync } from "node:fs";
import { Script } from "node:vm";
import type { CodeCache } from "./code-cache.ts";

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
      const run = compiled(options, chunk, file);
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

function compiled({ codeCache, onLoaded }: ChunkLoaderOptions, chunk: string, file: string): ModuleFunction {
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
