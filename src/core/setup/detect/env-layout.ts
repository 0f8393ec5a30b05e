import { compareText } from "../../api/issue.ts";
import type { DetectedEnvFile } from "./env-files.ts";
import type { DetectionNote } from "./pm2-file.ts";
import { relativePath } from "../../words/path.ts";
import { folderOf, withoutTemplateWord } from "./survey.ts";

export interface EnvLayout {
  readonly env: Readonly<Record<string, unknown>>;
  readonly notes: readonly DetectionNote[];
}

/**
 * A plain `.env` belongs to each environment that has no separate file, because each machine has its own one. If every
 * environment has a file, it becomes a lower layer of each.
 */
export function envLayout(files: readonly DetectedEnvFile[], names: readonly string[], folder: string): EnvLayout {
  const values = files.filter(({ kind }) => kind === "values").toSorted(byDepth);
  const own = new Map(names.map((name) => [name, layersOf(values.filter((file) => environmentNameOf(file) === name))]));
  const plain = layersOf(values.filter((file) => environmentNameOf(file) === undefined));
  const free = names.filter((name) => own.get(name)?.length === 0);
  const templates = files.filter(({ kind }) => kind === "template").toSorted(byPlainness);
  const template = templates.find((file) => environmentNameOf(file) === undefined);
  const entries = names.flatMap((name): [string, unknown][] => {
    const base = free.length === 0 || free.includes(name) ? plain : [];
    const layers = [...base, ...(own.get(name) ?? [])];
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

function toEnvSource(layers: readonly DetectedEnvFile[], folder: string): unknown {
  const encrypted = layers.findLast(({ isEncrypted }) => isEncrypted);
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
