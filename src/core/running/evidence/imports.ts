import { readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readTextSync } from "../../files/system.ts";
import { isInside, isInstalled } from "../code-evidence.ts";
import { foldPaths } from "./folded-paths.ts";
import type { Unit } from "./unit.ts";
import { type Budget, isFolder, realPath, statOf } from "./walk.ts";
import { isRecord, parseRecord } from "../../words/record.ts";

export const PROGRAM = /\.[cm]?[jt]sx?$/i;
const MAX_BYTES = 2 ** 20;
const MAX_FILES = 20_000;

/**
 * Files outside of the unit that its programs name by relative paths, such as `require("../../lib/shared.js")`, by joined
 * parts, or by an alias of `tsconfig.json`. Those that such a file names in turn count as well. So do folders of modules
 * whose names are known only at run time. Absolute real paths.
 */
export function findImports(unit: Unit, budget: Budget): string[] {
  const { folder, files, place } = unit;
  if (folder === undefined) return [];
  const known = new Set(files.map(({ absolute }) => absolute));
  const isOwn = (path: string): boolean => isInside(path, folder) || isInstalled(path) || known.has(path);
  const context = { aliased: readAliases(folder), cwd: place.cwd ?? folder, isOwn };
  const found = new Set<string>();
  const written = new Set<string>();
  const waiting = listOwnPrograms(files, folder);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (budget.problem !== null || found.size >= MAX_FILES) break;
    const named = namedBy(next, context);
    for (const path of named.written) written.add(realPath(path) ?? path);
    // The folder of the unit, or one above it, would be code of each app.
    const folders = named.folders.filter((path) => !isInside(folder, path));
    const added = [...folders, ...named.files].filter((path) => !isOwn(path) && !found.has(path));
    for (const path of added) found.add(path);
    waiting.push(...added.flatMap((path) => programsAt(path)));
  }
  return [...found].filter((path) => PROGRAM.test(path) || !written.has(path)).toSorted();
}

interface Program {
  readonly path: string;
  /** A relative path outside of the unit is at least so many folders above that of the file. */
  readonly above: number;
}

function listOwnPrograms(files: Unit["files"], folder: string): Program[] {
  return files.flatMap(({ absolute, kind }) => {
    if (kind !== "file" || !PROGRAM.test(absolute)) return [];
    const depth = isInside(absolute, folder) ? absolute.slice(folder.length + 1).split("/").length : 0;
    return [{ path: absolute, above: depth }];
  });
}

interface NamingContext {
  readonly aliased: ReturnType<typeof readAliases>;
  readonly cwd: string;
  readonly isOwn: (path: string) => boolean;
}

interface NamedFiles {
  readonly files: readonly string[];
  readonly folders: readonly string[];
  readonly written: readonly string[];
}

function namedBy({ path: file, above }: Program, { aliased, cwd, isOwn }: NamingContext): NamedFiles {
  const text = readSmall(file);
  const { modules, files, folders, written } = foldPaths(text, { file, cwd });
  const isElsewhere = (path: string): boolean => !isOwn(path);
  return {
    files: [
      ...namedByLiterals(text, { file, above, aliased }),
      ...modules.filter(isElsewhere).flatMap((path) => resolveModule(path) ?? []),
      ...files.filter((path) => isElsewhere(path) && isFile(path)).flatMap((path) => realPath(path) ?? []),
    ],
    folders: folders.filter(isElsewhere).flatMap((path) => (isFolder(path) ? (realPath(path) ?? []) : [])),
    written,
  };
}

interface LiteralContext extends Pick<NamingContext, "aliased"> {
  readonly file: string;
  readonly above: number;
}

function namedByLiterals(text: string, { file, above, aliased }: LiteralContext): string[] {
  // Most files of a unit name nothing outside of it.
  if (aliased === undefined && !text.includes("../".repeat(above))) return [];
  const names = [...text.matchAll(/["'`]([\w@~#.][^"'`\n$]*)["'`]/g)].map(([, name = ""]) => name);
  return [...new Set(names)].flatMap((name) => {
    if (!/^\.{1,2}\//.test(name)) return (aliased?.(name) ?? []).flatMap((path) => resolveModule(path) ?? []);
    const isAbove = name.startsWith("../".repeat(above));
    return isAbove ? (resolveModule(resolve(dirname(file), name)) ?? []) : [];
  });
}

/** Of a folder, those directly in it. */
function programsAt(path: string): Program[] {
  try {
    const paths = isFolder(path) ? readdirSync(path).map((name) => join(path, name)) : [path];
    return paths.filter((one) => PROGRAM.test(one)).map((one) => ({ path: one, above: 0 }));
  } catch {
    return [];
  }
}

function readSmall(path: string): string {
  try {
    const stats = statSync(path);
    return stats.size > MAX_BYTES ? "" : readTextSync(path);
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
  const first = candidates.find(isFile);
  return first === undefined ? undefined : (realPath(first) ?? undefined);
}

function isFile(path: string): boolean {
  return statOf(path)?.isFile() === true;
}

const MAX_CONFIGS = 8;

/**
 * Returns the absolute paths that a name of a module may stand for by `paths` of the folder's `tsconfig.json`;
 * `undefined` without any.
 */
function readAliases(folder: string): ((name: string) => string[]) | undefined {
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
    const text = readTextSync(path).replaceAll(/("(?:\\.|[^"\\])*")|\/\/.*|\/\*[\s\S]*?\*\//g, "$1");
    return parseRecord(text.replaceAll(/,(?=\s*[}\]])/g, "")) ?? {};
  } catch {
    return {};
  }
}
