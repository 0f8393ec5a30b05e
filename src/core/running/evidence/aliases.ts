import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isRecord, parseRecord } from "../../words/record.ts";

const MAX_CONFIGS = 8;

/**
 * Returns the absolute paths that a name of a module may stand for by `paths` of the folder's `tsconfig.json`;
 * `undefined` without any.
 */
export function readAliases(folder: string): ((name: string) => string[]) | undefined {
  const aliases = findPaths(join(folder, "tsconfig.json"));
  if (aliases.length === 0) return undefined;
  return (name) =>
    aliases.flatMap(({ before, after, targets }) => {
      if (after === undefined) return name === before ? targets : [];
      const isMatch = name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
      if (!isMatch) return [];
      const part = name.slice(before.length, name.length - after.length);
      return targets.map((target) => target.replace("*", () => part));
    });
}

interface Alias {
  readonly before: string;
  /** `undefined` without a `*`. */
  readonly after: string | undefined;
  readonly targets: readonly string[];
}

/** Those of the first file with `paths`, on the way that `extends` leads. */
function findPaths(first: string): Alias[] {
  let path = first;
  for (let count = 0; count < MAX_CONFIGS; count += 1) {
    const { compilerOptions, extends: base } = readConfig(path);
    const { paths, baseUrl = "." } = isRecord(compilerOptions) ? compilerOptions : {};
    if (isRecord(paths)) return Object.entries(paths).flatMap(toAlias(resolve(dirname(path), String(baseUrl))));
    if (typeof base !== "string" || !base.startsWith(".")) return [];
    path = resolve(dirname(path), base.endsWith(".json") ? base : `${base}.json`);
  }
  return [];
}

function toAlias(folder: string): (entry: readonly [string, unknown]) => Alias[] {
  return ([pattern, targets]) => {
    if (!Array.isArray(targets)) return [];
    const [before = "", after] = pattern.split("*");
    return [{ before, after, targets: targets.map((target) => resolve(folder, String(target))) }];
  };
}

/** JSON with comments and commas at the end. */
function readConfig(path: string): Readonly<Record<string, unknown>> {
  try {
    const text = readFileSync(path, "utf8").replaceAll(/("(?:\\.|[^"\\])*")|\/\/.*|\/\*[\s\S]*?\*\//g, "$1");
    return parseRecord(text.replaceAll(/,(?=\s*[}\]])/g, "")) ?? {};
  } catch {
    return {};
  }
}
