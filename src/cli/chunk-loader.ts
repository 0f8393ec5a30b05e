import { readFileSync } from "node:fs";
import { Script } from "node:vm";

/** Loads a chunk by its path in the build, for example `commands/env/get.cjs`. */
export type LoadChunk = (chunk: string) => unknown;

export interface ChunkLoaderOptions {
  /** Folder of the build. */
  readonly dist: string;
  /** Folder with the code that V8 compiled for the chunks; what it lacks or V8 refuses is compiled. */
  readonly codeCache: string;
  /** Node's own `require`, for everything that is no chunk. */
  readonly nodeRequire: NodeJS.Require;
  /** Told of every chunk after it was compiled. */
  readonly onCompiled?: (chunk: string, script: Script) => void;
}

/** The folder of the compiled code for the running Node. */
export function codeCacheFolder(dist: string): string {
  return `${dist}/code-cache/${process.versions.v8}-${process.arch}`;
}

/**
 * Loads chunks as Node would, and takes the code that V8 compiled at build time from the given
 * folder: that halves the start of a command. Nothing is written, and V8 itself refuses code that
 * another version, or other flags, have made. A chunk that says `import()` cannot be loaded so: V8
 * forgets with the compiled code who is to load the module.
 */
export function chunkLoader({ dist, codeCache, nodeRequire, onCompiled }: ChunkLoaderOptions): LoadChunk {
  const loaded = new Map<string, { exports: unknown }>();

  function load(chunk: string): unknown {
    const known = loaded.get(chunk);
    if (known) return known.exports;
    const module = { exports: {} };
    loaded.set(chunk, module);
    const file = `${dist}/${chunk}`;
    const folder = chunk.slice(0, Math.max(0, chunk.lastIndexOf("/")));
    try {
      compile(chunk, file).call(module.exports, module.exports, requireFrom(folder), module, file, `${dist}/${folder}`);
    } catch (error) {
      loaded.delete(chunk);
      throw error;
    }
    return module.exports;
  }

  function compile(chunk: string, file: string): ModuleFunction {
    const cachedData = compiledCode(`${codeCache}/${chunk}`);
    const script = new Script(
      `(function (exports, require, module, __filename, __dirname) { ${readFileSync(file, "utf8")}\n})`,
      {
        filename: `svcm/dist/${chunk}`,
        ...(cachedData && { cachedData }),
      },
    );
    onCompiled?.(chunk, script);
    return script.runInThisContext() as ModuleFunction;
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

/** Resolves `./table.cjs` or `../../chunks/table.cjs`. `node:path` would take longer than the rest of the loading. */
function chunkAt(folder: string, id: string): string {
  const steps = folder === "" ? [] : folder.split("/");
  for (const step of id.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== ".") steps.push(step);
  }
  return steps.join("/");
}

function compiledCode(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
