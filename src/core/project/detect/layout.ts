import { compareText } from "../../api/issue.ts";
import { baseName } from "../../words/path.ts";
import type { Detection } from "./detect.ts";
import type { DetectedEnvFile } from "./env-files.ts";
import { envLayout, environmentNameOf } from "./env-layout.ts";
import { aliasesOf } from "./environment-names.ts";
import type { DetectionNote, Pm2File } from "./pm2-files.ts";
import { relativePath } from "./survey.ts";

export interface Layout {
  readonly environments: Readonly<Record<string, readonly string[]>>;
  readonly default: string;
  readonly services: Readonly<Record<string, ServiceLayout>>;
}

export interface ServiceLayout {
  readonly folder?: string;
  readonly ecosystem?: Readonly<Record<string, unknown>>;
  readonly apps?: readonly string[];
  readonly env?: Readonly<Record<string, unknown>>;
  readonly template?: string;
}

interface Group {
  readonly folder: string;
  readonly env: readonly DetectedEnvFile[];
  readonly pm2: readonly Pm2File[];
}

interface EnvironmentNames {
  readonly all: readonly string[];
  readonly main: string;
}

const ORDER = ["dev", "test", "ci", "e2e", "qa", "sandbox", "uat", "staging", "production"];

export function proposeLayout({ env, pm2 }: Pick<Detection, "env" | "pm2">): {
  layout: Layout;
  notes: DetectionNote[];
} {
  const homes = [...new Set([...env, ...pm2].map(({ home }) => home))].toSorted(compareText);
  const groups = homes.map((folder) => ({
    folder,
    env: env.filter(({ home }) => home === folder),
    pm2: pm2.filter(({ home }) => home === folder),
  }));
  const all = environmentNames(env, pm2);
  const main = all.find((name) => pm2.some(({ environments }) => Object.hasOwn(environments, name))) ?? all[0] ?? "dev";
  const names = { all, main };
  const services = groups.length > 1 ? namedServices(groups, names) : { "": serviceOf(groups[0], names) };
  return {
    layout: {
      environments: Object.fromEntries(all.map((name) => [name, aliasesOf(name, all)])),
      default: main,
      services,
    },
    notes: groups.flatMap((group) => [...envLayout(group.env, all, main, "").notes]),
  };
}

function environmentNames(env: readonly DetectedEnvFile[], pm2: readonly Pm2File[]): string[] {
  const values = env.filter(({ kind }) => kind === "values");
  const own = new Set(values.flatMap((file) => environmentNameOf(file) ?? []));
  const used = new Set([...pm2.flatMap(({ environments }) => Object.keys(environments)), ...own]);
  const isPlainFileUnassigned =
    values.some((file) => environmentNameOf(file) === undefined) && [...used].every((name) => own.has(name));
  if (used.size === 0 || isPlainFileUnassigned) used.add("dev");
  return [...used].toSorted((a, b) => rank(a) - rank(b) || compareText(a, b));
}

function rank(name: string): number {
  return ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length;
}

/** A PM2 file in a parent folder belongs to the services in whose folders its apps run. */
function namedServices(groups: readonly Group[], names: EnvironmentNames): Record<string, ServiceLayout> {
  const taken = new Set<string>();
  const claimed = new Set<string>();
  const entries = groups
    .filter(({ folder }) => folder !== ".")
    .map((group) => {
      const contained = groups
        .filter((other) => other !== group)
        .flatMap(({ pm2 }) => pm2)
        .flatMap((file) => namesWithin(file, group.folder).map((name) => ({ file, name })));
      for (const { name } of contained) claimed.add(name);
      const pm2 = [...group.pm2, ...new Set(contained.map(({ file }) => file))];
      const apps = [...new Set(contained.map(({ name }) => name))];
      const service = serviceOf({ ...group, pm2 }, names);
      return [freeName(baseName(group.folder), taken), apps.length > 0 ? { ...service, apps } : service] as const;
    });
  const root = groups.find(({ folder }) => folder === ".");
  const rest = root?.pm2.flatMap(({ apps }) => apps.flatMap(({ name }) => name ?? [])) ?? [];
  const unclaimed = [...new Set(rest)].filter((name) => !claimed.has(name));
  const isDivided = root?.pm2.every(({ apps }) => areNamed(apps)) ?? true;
  const needsRoot = root && (root.env.some(({ kind }) => kind === "values") || unclaimed.length > 0 || !isDivided);
  if (!needsRoot) return Object.fromEntries(entries);
  const service = serviceOf(root, names);
  const own = isDivided && claimed.size > 0 && unclaimed.length > 0 ? { ...service, apps: unclaimed } : service;
  return Object.fromEntries([[freeName("main", taken), own], ...entries]);
}

/** A file with a computed app name is not divided, because that app would be lost. */
function namesWithin({ apps }: Pm2File, folder: string): string[] {
  if (!areNamed(apps)) return [];
  return apps.flatMap((app) => (isWithin(app.folder, folder) ? (app.name ?? []) : []));
}

function areNamed(apps: Pm2File["apps"]): boolean {
  return apps.length > 0 && apps.every(({ name }) => name !== undefined);
}

function isWithin(folder: string | undefined, parent: string): boolean {
  return (
    folder !== undefined && (folder === parent || folder.startsWith(`${parent}/`) || folder.endsWith(`/${parent}`))
  );
}

function freeName(wanted: string, taken: Set<string>): string {
  const base = wanted.replaceAll(/[^\w.-]/g, "-").replace(/^[^A-Za-z\d]+/, "") || "service";
  let name = base;
  for (let count = 2; taken.has(name); count += 1) name = `${base}-${count}`;
  taken.add(name);
  return name;
}

function serviceOf(group: Group | undefined, { all, main }: EnvironmentNames): ServiceLayout {
  if (!group) return {};
  const folder = group.folder === "." ? "" : group.folder;
  const template = group.env.find(({ kind }) => kind === "template")?.path;
  const ecosystem = ecosystemOf(group.pm2, all, folder);
  const { env } = envLayout(group.env, all, main, folder);
  return {
    ...(folder !== "" && { folder }),
    ...(Object.keys(ecosystem).length > 0 && { ecosystem }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(template !== undefined && { template: relativePath(folder, template) }),
  };
}

function ecosystemOf(pm2: readonly Pm2File[], names: readonly string[], folder: string): Record<string, unknown> {
  const entries = names.flatMap((name): [string, unknown][] => {
    const files = pm2.filter(({ environments }) => Object.hasOwn(environments, name));
    const sources = files.map((file) => toEcosystemSource(file, file.environments[name] ?? null, folder));
    return sources.length === 0 ? [] : [[name, sources.length === 1 ? sources[0] : sources]];
  });
  return Object.fromEntries(entries);
}

function toEcosystemSource({ path, home }: Pm2File, env: string | null, folder: string): unknown {
  const file = relativePath(folder, path);
  const isAbove = file.startsWith("../");
  if (env === null && !isAbove) return file;
  return { file, ...(isAbove && { cwd: relativePath(folder, home) }), ...(env !== null && { env }) };
}
