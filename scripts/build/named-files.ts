import type { Plugin } from "rolldown";

const NAMED = /new URL\("(\.[^"]+\.ts)", import\.meta\.url\)/g;

/** Makes `new URL("./file.ts", import.meta.url)` refer to the built file with the same module. */
export function namedFiles(files: Readonly<Record<string, string>>): Plugin {
  return {
    name: "named-files",
    transform: {
      filter: { id: /[\\/]src[\\/].*\.ts$/ },
      handler(code) {
        const named = code.replaceAll(NAMED, (_all, path: string) => {
          const file = files[path];
          if (file === undefined) throw new Error(`${path} has no file in the build`);
          return `new URL("${file}", import.meta.url)`;
        });
        return named === code ? null : { code: named, map: null };
      },
    },
  };
}
