import { basename, resolve } from "node:path";
import type { Plugin } from "rolldown";

/** Another file of the source that the program reads or starts. */
const FILE_URL = /new URL\("(\.[^"]+\.ts)", import\.meta\.url\)/g;

/** Commands load most of its modules, too. */
const SHARED: ReadonlySet<string> = new Set(["log-worker.ts"]);

/**
 * Builds each worker or process that `new URL("./file.ts", import.meta.url)` names. `found` maps its built name to its
 * source.
 */
export function separatePrograms(found: Map<string, string>): Plugin {
  return {
    name: "separate-programs",
    transform: {
      filter: { id: /[\\/]src[\\/].*\.ts$/ },
      handler(code, id) {
        const separated = code.replaceAll(FILE_URL, (_all, path: string) => {
          const name = `programs/${basename(path, ".ts")}`;
          const source = resolve(id, "..", path);
          const isShared = SHARED.has(basename(path));
          if (!isShared) found.set(name, source);
          const file = { fileName: `${name}.cjs` };
          const reference = this.emitFile(
            isShared ? { type: "chunk", id: source, ...file } : { type: "asset", source: "", ...file },
          );
          return `new URL(import.meta.ROLLUP_FILE_URL_${reference})`;
        });
        return separated === code ? null : { code: separated, map: null };
      },
    },
  };
}

/** Makes `new URL("./file.ts", import.meta.url)` refer to the built file with the same module. */
export function namedFiles(files: Readonly<Record<string, string>>): Plugin {
  return {
    name: "named-files",
    transform: {
      filter: { id: /[\\/]src[\\/].*\.ts$/ },
      handler(code) {
        const named = code.replaceAll(FILE_URL, (_all, path: string) => {
          const file = files[path];
          if (file === undefined) throw new Error(`${path} has no file in the build`);
          return `new URL("${file}", import.meta.url)`;
        });
        return named === code ? null : { code: named, map: null };
      },
    },
  };
}
