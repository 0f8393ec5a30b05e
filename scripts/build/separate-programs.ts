import { basename, resolve } from "node:path";
import type { Plugin } from "rolldown";

const PROGRAM = /new URL\("(\.[^"]+\.ts)", import\.meta\.url\)/g;

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
        const separated = code.replaceAll(PROGRAM, (_all, path: string) => {
          const name = `programs/${basename(path, ".ts")}`;
          found.set(name, resolve(id, "..", path));
          const reference = this.emitFile({ type: "asset", fileName: `${name}.cjs`, source: "" });
          return `new URL(import.meta.ROLLUP_FILE_URL_${reference})`;
        });
        return separated === code ? null : { code: separated, map: null };
      },
    },
  };
}
