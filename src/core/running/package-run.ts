/** A script of `package.json` that a package manager runs, perhaps in another package of the workspace. */
import type { HasFiles, HasStamps } from "../files/ports.ts";
import { resolvePath } from "../project/resolve.ts";
import { isRecord, parseRecord } from "../words/record.ts";
import { baseName } from "../words/text.ts";
import { decodeUtf8 } from "../words/utf8.ts";

export interface PackageRun {
  readonly script: string;
  /** A package by its name or its folder; `null` if the command says more than that. Without it, the package is that of the folder. */
  readonly target?: string | null;
}

const MANAGER = /^(?:npm|pnpm|yarn|yarnpkg|bun|turbo)$/;
/** They run scripts of packages that only their own settings name. */
const ORCHESTRATOR = /^(?:nx|lerna|moon|rush|wireit|wsrun)$/;
const LAUNCHER = /^(?:npx|pnpx|bunx|corepack|exec|dlx)$/;
/** With the program before. For pnpm, `-w` is the package at the top. */
const EVERY =
  /^(?:pnpm -w|yarn workspaces|\w+ (?:-r|-ws|--(?:workspaces|recursive|workspace-root|affected|parallel)))$/;
const TARGET = /^(?:yarn workspace|\w+ (?:-w|-F|-C|--(?:workspace|filter|filter-prod|prefix|dir|cwd)))$/;
const PATTERN = /[*!^[{]|\.\.\./;
const WITHOUT_MEANING = /^(?:-.*|run(?:-script)?)$/;

/** @param words the script and its arguments */
export function packageRun(words: readonly string[]): PackageRun | undefined {
  const [first = "", ...rest] = words;
  const program = baseName(first).replace(/(?:-cli)?\.[cm]?js$/, "");
  if (ORCHESTRATOR.test(program)) return { script: rest[0] ?? "", target: null };
  const verb = rest.find((word) => !word.startsWith("-")) ?? "";
  const isManager = MANAGER.test(program);
  const startsOther = [MANAGER, ORCHESTRATOR, LAUNCHER].some((programs) => programs.test(verb));
  if (LAUNCHER.test(program) || (isManager && startsOther)) return packageRun(rest.slice(rest.indexOf(verb)));
  if (!isManager) return undefined;
  const { script, targets } = readWords(program, rest);
  return script === undefined ? undefined : { script, ...targetOf(program, targets) };
}

function targetOf(program: string, [target, ...others]: readonly string[]): Pick<PackageRun, "target"> {
  if (target === undefined) return program === "turbo" ? { target: null } : {};
  return { target: others.length > 0 || PATTERN.test(target) ? null : target };
}

function readWords(program: string, words: readonly string[]) {
  const [names, targets]: [string[], string[]] = [[], []];
  const waiting = words.slice(0, words.includes("--") ? words.indexOf("--") : words.length);
  for (let word = waiting.shift(); word !== undefined; word = waiting.shift()) {
    const [, option = word, value] = /^(--?[\w-]+)=(.*)$/.exec(word) ?? [];
    if (EVERY.test(`${program} ${option}`)) targets.push("*");
    else if (TARGET.test(`${program} ${option}`)) targets.push(value ?? waiting.shift() ?? "");
    else if (!WITHOUT_MEANING.test(word)) names.push(word);
    // These leave what follows the script to the script.
    if (names.length > 0 && !/^(?:npm|turbo)$/.test(program)) break;
  }
  return { script: names[0], targets };
}

type FolderPorts = HasFiles & Pick<HasStamps, "stamps">;

/** @returns the folder of the package; null if it is not known */
export async function findPackageFolder(
  ports: FolderPorts,
  cwd: string,
  { target }: PackageRun,
): Promise<string | null> {
  if (target === undefined) return cwd;
  if (target === null) return null;
  const own = resolvePath(cwd, target);
  if (/^[./]|\//.test(target) && !target.startsWith("@")) return own;
  const folders = await listPackages(ports, cwd);
  const named = await Promise.all(folders.map(async (folder) => [folder, await readName(ports, folder)] as const));
  const exact = named.filter(([, name]) => name === target);
  const [only, ...others] = exact.length > 0 ? exact : named.filter(([, name]) => name.endsWith(`/${target}`));
  if (only !== undefined) return others.length === 0 ? only[0] : null;
  return ports.stamps.names(own).includes("package.json") ? own : null;
}

const MAX_PACKAGES = 300;

/** Of the nearest workspace at or above the folder. */
async function listPackages(ports: FolderPorts, cwd: string): Promise<string[]> {
  for (let at = cwd; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
    const { workspaces } = parseRecord(await readTextIn(ports, `${at}/package.json`)) ?? {};
    const list = isRecord(workspaces) ? workspaces["packages"] : workspaces;
    const ofPnpm = (await readTextIn(ports, `${at}/pnpm-workspace.yaml`)).matchAll(/^\s*-\s*["']?([^"'#\s]+)/gm);
    const patterns = [...(Array.isArray(list) ? list.map(String) : []), ...[...ofPnpm].map(([, one = ""]) => one)];
    if (patterns.length > 0) return patterns.flatMap((pattern) => expand(ports, at, pattern)).slice(0, MAX_PACKAGES);
  }
  return [];
}

function expand({ stamps }: Pick<HasStamps, "stamps">, root: string, pattern: string): string[] {
  const below = (folder: string): string[] =>
    stamps.names(folder).flatMap((name) => (/^(?:\.|node_modules$)/.test(name) ? [] : [`${folder}/${name}`]));
  let found = [root];
  for (const part of pattern.split("/").filter((one) => one !== "" && one !== "."))
    found = found.flatMap((folder) => {
      if (!part.includes("*")) return [`${folder}/${part}`];
      return part === "**" ? [folder, ...below(folder), ...below(folder).flatMap(below)] : below(folder);
    });
  return found;
}

async function readName(ports: HasFiles, folder: string): Promise<string> {
  const { name } = parseRecord(await readTextIn(ports, `${folder}/package.json`)) ?? {};
  return typeof name === "string" ? name : "";
}

export async function readTextIn({ files }: HasFiles, path: string): Promise<string> {
  return decodeUtf8(await files.read(path, { mayBeOutside: true }).catch(() => new Uint8Array())) ?? "";
}
