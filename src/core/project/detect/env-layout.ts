import { compareText } from "../../api/issue.ts";
import type { DetectedEnvFile } from "./env-files.ts";
import type { DetectionNote } from "./pm2-file.ts";
import { folderOf, relativePath } from "./survey.ts";

export interface EnvLayout {
  readonly env: Readonly<Record<string, unknown>>;
  readonly notes: readonly DetectionNote[];
}

/**
 * A plain `.env` belongs to only one environment, because a write for another one would change it there, too: to
 * the default one, else to one without a file. If every environment has a file, it becomes a lower layer of each.
 */
export function envLayout(
  files: readonly DetectedEnvFile[],
  names: readonly string[],
  defaultEnvironment: string,
  folder: string,
): EnvLayout {
  const values = files.filter(({ kind }) => kind === "values").toSorted(byDepth);
  const own = new Map(names.map((name) => [name, layersOf(values.filter((file) => environmentNameOf(file) === name))]));
  const plain = layersOf(values.filter((file) => environmentNameOf(file) === undefined));
  const isFree = (name: string): boolean => own.get(name)?.length === 0;
  const owner = isFree(defaultEnvironment) ? defaultEnvironment : ["dev", ...names].find(isFree);
  const entries = names.flatMap((name): [string, unknown][] => {
    const base = owner === undefined || owner === name ? plain : [];
    const layers = [...base, ...(own.get(name) ?? [])];
    if (layers.length > 0) return [[name, toEnvSource(layers, folder)]];
    const template = name === defaultEnvironment ? files.find(({ kind }) => kind === "template") : undefined;
    return template ? [[name, relativePath(folder, plainFileNextTo(template.path))]] : [];
  });
  const used = new Set([...plain, ...[...own.values()].flat()]);
  const unused = values
    .filter((file) => !used.has(file))
    .map(({ path }) => ({ path, line: 1, what: "svcm.yaml does not name this file: another one has its environment" }));
  return { env: Object.fromEntries(entries), notes: [...unused, ...plainFileNotes(plain, owner, names)] };
}

export function environmentNameOf({ environment }: DetectedEnvFile): string | undefined {
  if (environment === undefined) return undefined;
  return environment.replaceAll(/[^a-z\d._-]/g, "-").replace(/^[^a-z\d]+/, "") || "dev";
}

function layersOf(files: readonly DetectedEnvFile[]): DetectedEnvFile[] {
  const base = files.find(({ isLocal }) => !isLocal) ?? files[0];
  return base === undefined ? [] : [base, ...files.filter(({ path }) => path === `${base.path}.local`)];
}

function toEnvSource(layers: readonly DetectedEnvFile[], folder: string): unknown {
  const encrypted = layers.findLast(({ isEncrypted }) => isEncrypted);
  if (encrypted) return { file: relativePath(folder, encrypted.path), encrypted: "dotenvx" };
  const paths = layers.map(({ path }) => relativePath(folder, path));
  return paths.length === 1 ? paths[0] : paths;
}

function plainFileNotes(
  [plain]: readonly DetectedEnvFile[],
  owner: string | undefined,
  names: readonly string[],
): DetectionNote[] {
  if (plain === undefined || owner === undefined || names.length === 1) return [];
  const what = `svcm.yaml names this file for ${owner} only. If another environment reads it too, add it there below env`;
  return [{ path: plain.path, line: 1, what }];
}

function plainFileNextTo(template: string): string {
  const folder = folderOf(template);
  return folder === "." ? ".env" : `${folder}/.env`;
}

export function byDepth(a: DetectedEnvFile, b: DetectedEnvFile): number {
  return a.path.split("/").length - b.path.split("/").length || compareText(a.path, b.path);
}
