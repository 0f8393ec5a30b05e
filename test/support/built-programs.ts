import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";

const PROGRAMS = join(import.meta.dirname, "../../dist/programs");
const NAMED = /new URL\("(\.[^"]+\.ts)", import\.meta\.url\)/g;

/**
 * A plugin of Vite and Rolldown: sources start their workers and processes from the build, because from source each of
 * them would first load a TypeScript compiler.
 */
export function builtPrograms() {
  return {
    name: "built-programs",
    enforce: "pre" as const,
    transform(code: string, id: string): { code: string; map: null } | null {
      if (!id.includes("/src/core/") || !code.includes("import.meta.url")) return null;
      const replaced = code.replaceAll(NAMED, (named: string, path: string) => {
        const built = join(PROGRAMS, `${basename(path, ".ts")}.cjs`);
        return existsSync(built) ? `new URL(${JSON.stringify(pathToFileURL(built).href)})` : named;
      });
      return replaced === code ? null : { code: replaced, map: null };
    },
  };
}
