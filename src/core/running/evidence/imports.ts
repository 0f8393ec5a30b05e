import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isInside, isInstalled } from "../find-unit.ts";
import { readAliases } from "./aliases.ts";
import type { Unit } from "./unit.ts";
import { type Budget, realPath } from "./walk.ts";

export const PROGRAM = /\.[cm]?[jt]sx?$/i;
const MAX_BYTES = 2 ** 20;
const MAX_FILES = 20_000;

/**
 * Files outside of the unit that its programs name by relative paths, such as `require("../../lib/shared.js")`, or by an
 * alias of `tsconfig.json`, and those that such a file names in turn. Absolute real paths.
 */
export function findImports({ folder, files }: Unit, budget: Budget): string[] {
  if (folder === undefined) return [];
  const aliased = readAliases(folder);
  const known = new Set(files.map(({ absolute }) => absolute));
  const found = new Set<string>();
  const waiting = files.flatMap(({ absolute, kind }) => {
    if (kind !== "file" || !PROGRAM.test(absolute)) return [];
    const depth = isInside(absolute, folder) ? absolute.slice(folder.length + 1).split("/").length : 0;
    return [{ path: absolute, above: depth }];
  });
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (budget.problem !== null || found.size >= MAX_FILES) break;
    for (const path of namedBy(next.path, next.above, aliased)) {
      if (isInside(path, folder) || isInstalled(path) || known.has(path) || found.has(path)) continue;
      found.add(path);
      if (PROGRAM.test(path)) waiting.push({ path, above: 0 });
    }
  }
  return [...found].toSorted();
}

/** @param above of a relative path, at least so many folders above that of the file */
function namedBy(file: string, above: number, aliased: ReturnType<typeof readAliases>): string[] {
  const text = readSmall(file);
  // Most files of a unit name nothing outside of it.
  if (aliased === undefined && !text.includes("../".repeat(above))) return [];
  const names = [...text.matchAll(/["'`]([\w@~#.][^"'`\n$]*)["'`]/g)].map(([, name = ""]) => name);
  return [...new Set(names)].flatMap((name) => {
    if (!/^\.{1,2}\//.test(name)) return (aliased?.(name) ?? []).flatMap((path) => resolveModule(path) ?? []);
    const isAbove = name.startsWith("../".repeat(above));
    return isAbove ? (resolveModule(resolve(dirname(file), name)) ?? []) : [];
  });
}

function readSmall(path: string): string {
  try {
    const stats = statSync(path);
    return stats.size > MAX_BYTES ? "" : readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

const ENDINGS = ["", ".js", ".cjs", ".mjs", ".json", ".ts", ".mts", ".cts", ".tsx", ".jsx"];

/** As Node.js and the loaders of TypeScript do, for which `./a.js` may be `a.ts`. */
function resolveModule(path: string): string | undefined {
  const source = path.replace(/\.([cm]?)js$/, ".$1ts");
  const candidates = [
    ...ENDINGS.map((ending) => path + ending),
    source,
    ...ENDINGS.map((ending) => `${path}/index${ending}`),
  ];
  const first = candidates.find((candidate) => statSync(candidate, { throwIfNoEntry: false })?.isFile());
  return first === undefined ? undefined : (realPath(first) ?? undefined);
}
