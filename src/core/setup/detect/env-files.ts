import { isEncrypted, parseEnvDocument } from "../../env/document.ts";
import { environmentInName, isEnvName, isTemplateName, withoutTemplateWord } from "../../words/environment-names.ts";
import type { DetectionNote } from "./pm2-file.ts";
import { baseName, relativePath } from "../../words/text.ts";
import { packageFolderOf, type Survey, folderOf } from "./survey.ts";
import { compareText } from "../../api/issue.ts";

export interface DetectedEnvFile {
  readonly path: string;
  /** `other`: the name, such as `docker-compose.env`, does not relate the file to the app. */
  readonly kind: "values" | "template" | "other";
  readonly environment: string | undefined;
  /** The folder of the nearest package.json; `.` for the root. */
  readonly home: string;
  readonly isLocal: boolean;
  readonly isEncrypted: boolean;
  /** The library that combines the env files of the package, in its own order. */
  readonly cascade?: Cascade | undefined;
}

/** Both read `.env.local` and `.env` in every environment, also if it has a file. Next.js reads files with `.local` last. */
type Cascade = (typeof CASCADES)[number];
const CASCADES = ["next", "dotenv-flow"] as const;

/** @param known environments that PM2 files or their callers name */
export function detectEnvFiles(
  { files }: Survey,
  packages: readonly string[],
  known: ReadonlySet<string> = new Set(),
): { env: DetectedEnvFile[]; notes: DetectionNote[] } {
  const found = [...files].flatMap(([path, text = ""]) => {
    if (!isEnvName(path)) return [];
    const { env, notes } = describeEnvFile(path, text, packages, known);
    const manifest = files.get(env.home === "." ? "package.json" : `${env.home}/package.json`) ?? "";
    return [{ env: { ...env, cascade: CASCADES.find((name) => manifest.includes(`"${name}":`)) }, notes }];
  });
  return { env: found.map(({ env }) => env), notes: found.flatMap(({ notes }) => notes) };
}

function describeEnvFile(
  path: string,
  text: string,
  packages: readonly string[],
  known: ReadonlySet<string>,
): { env: DetectedEnvFile; notes: DetectionNote[] } {
  const name = baseName(path);
  const { rest, word, named } = readName(name, known);
  const isTemplate = isTemplateName(name);
  const home = packageFolderOf(path, packages);
  const isPart = word !== undefined && named === undefined && name.startsWith(".env");
  const isHelper = HELPER_FOLDER.test(path.slice(home === "." ? 0 : home.length + 1));
  const reasons = [
    ...(isPart ? [`${rest} is not known as an environment`] : []),
    ...(isHelper ? ["its folder is not that of an app"] : []),
  ];
  const isOther = reasons.length > 0 || (named === undefined && !name.startsWith(".env"));
  const env: DetectedEnvFile = {
    path,
    kind: isTemplate && !isHelper && !isPart ? "template" : isOther ? "other" : "values",
    environment: named,
    home,
    isLocal: name.endsWith(".local"),
    isEncrypted: isEncrypted(text),
  };
  const notes = reasons.map((reason) => ({
    path,
    line: 1,
    what: `svcm.yaml does not name this file, because ${reason}`,
  }));
  return { env, notes };
}

/** `.env.staging.local` is for staging, and `.env.staging.example` is the template of such a file. */
function readName(
  name: string,
  known: ReadonlySet<string>,
): { rest: string; word: string | undefined; named: string | undefined } {
  const rest = withoutTemplateWord(name)
    .replace(/^\.?env[.-]?/, "")
    .replace(/^\.(?=.+\.env$)/, "")
    .replace(/\.env$/, "")
    .replace(/\.local$/, "");
  const word = rest === "" || name === ".env.local" ? undefined : rest.toLowerCase();
  if (word === undefined) return { rest, word, named: undefined };
  return { rest, word, named: environmentInName(rest) ?? (known.has(word) ? word : undefined) };
}

/** Env files there belong to a tool, a container or a script beside the app. */
const HELPER_FOLDER =
  /^(?:.*\/)?(?:scripts?|tools?|docker|deploy|deployment|infra|k8s|helm|terraform|ansible|\.github|\.devcontainer)\//i;

export function parseAssignments(text: string): (readonly [string, string])[] {
  const document = parseEnvDocument(text);
  const commented = document.comments.map(({ start, end }) => document.text.slice(start, end).replace(/^\s*#+\s?/, ""));
  const inComments = commented
    .filter((line) => /^[A-Z][A-Z\d_]+=/.test(line))
    .flatMap((line) => parseEnvDocument(line).entries);
  return [...document.entries, ...inComments].map(({ key, value }) => [key, value]);
}

export interface EnvLayout {
  readonly env: Readonly<Record<string, unknown>>;
  readonly notes: readonly DetectionNote[];
}

/**
 * A plain `.env` belongs to each environment that has no separate file, because each machine has its own one. It becomes a
 * lower layer of each environment if all have a file, or if `.env.local` or a library shows that files are combined.
 */
export function envLayout(files: readonly DetectedEnvFile[], names: readonly string[], folder: string): EnvLayout {
  const values = files.filter(({ kind }) => kind === "values").toSorted(byDepth);
  const own = new Map(names.map((name) => [name, layersOf(values.filter((file) => environmentNameOf(file) === name))]));
  const plain = layersOf(values.filter((file) => environmentNameOf(file) === undefined));
  const free = names.filter((name) => own.get(name)?.length === 0);
  const cascade = values.find((file) => file.cascade !== undefined)?.cascade;
  const templates = files.filter(({ kind }) => kind === "template").toSorted(byPlainness);
  const template = templates.find((file) => environmentNameOf(file) === undefined);
  const entries = names.flatMap((name): [string, unknown][] => {
    const base = free.length === 0 || free.includes(name) || cascade !== undefined ? plain : belowOwn(plain);
    const layers = inOrder(
      [...base.filter((file) => name !== "test" || !file.isLocal), ...(own.get(name) ?? [])],
      cascade,
    );
    if (layers.length > 0) return [[name, toEnvSource(layers, folder)]];
    const named = templates.find((file) => environmentNameOf(file) === name);
    if (named) return [[name, relativePath(folder, withoutTemplateWord(named.path))]];
    return template ? [[name, relativePath(folder, plainFileNextTo(template.path))]] : [];
  });
  const used = new Set([...plain, ...[...own.values()].flat()]);
  const unused = values
    .filter((file) => !used.has(file))
    .map(({ path }) => ({ path, line: 1, what: "svcm.yaml does not name this file: another one has its environment" }));
  const shared = plain[0]?.path ?? (template && plainFileNextTo(template.path));
  return { env: Object.fromEntries(entries), notes: [...unused, ...sharedNotes(shared, free)] };
}

export function environmentNameOf({ environment }: DetectedEnvFile): string | undefined {
  if (environment === undefined) return undefined;
  return environment.replaceAll(/[^a-z\d._-]/g, "-").replace(/^[^a-z\d]+/, "") || "dev";
}

function layersOf(files: readonly DetectedEnvFile[]): DetectedEnvFile[] {
  const base = files.find(({ isLocal }) => !isLocal) ?? files[0];
  return base === undefined ? [] : [base, ...files.filter(({ path }) => path === `${base.path}.local`)];
}

function belowOwn(plain: readonly DetectedEnvFile[]): readonly DetectedEnvFile[] {
  return plain.length > 1 ? plain.slice(0, 1) : [];
}

function inOrder(layers: readonly DetectedEnvFile[], cascade: Cascade | undefined): readonly DetectedEnvFile[] {
  if (cascade !== "next") return layers;
  return [...layers.filter(({ isLocal }) => !isLocal), ...layers.filter(({ isLocal }) => isLocal)];
}

function toEnvSource(layers: readonly DetectedEnvFile[], folder: string): unknown {
  const encrypted = layers.findLast((layer) => layer.isEncrypted);
  if (encrypted) return { file: relativePath(folder, encrypted.path), encrypted: "dotenvx" };
  const paths = layers.map(({ path }) => relativePath(folder, path));
  return paths.length === 1 ? paths[0] : paths;
}

/** Only the team knows whether production reads the same file on its machine. */
function sharedNotes(path: string | undefined, free: readonly string[]): DetectionNote[] {
  if (path === undefined || free.length < 2) return [];
  const what = `svcm.yaml names this file for ${free.join(", ")}, as each machine has its own. If one of them reads another file, name that one below env`;
  return [{ path, line: 1, what }];
}

function plainFileNextTo(template: string): string {
  const folder = folderOf(template);
  return folder === "." ? ".env" : `${folder}/.env`;
}

/** A template without an environment stands for most of them. */
export function byPlainness(a: DetectedEnvFile, b: DetectedEnvFile): number {
  return Number(a.environment !== undefined) - Number(b.environment !== undefined) || byDepth(a, b);
}

function byDepth(a: DetectedEnvFile, b: DetectedEnvFile): number {
  return a.path.split("/").length - b.path.split("/").length || compareText(a.path, b.path);
}
