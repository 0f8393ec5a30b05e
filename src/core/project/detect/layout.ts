import { compareText } from "../../api/issue.ts";
import type { Detection } from "./detect.ts";
import type { DetectedEnvFile } from "./env-files.ts";
import { aliasesOf } from "./environment-names.ts";
import { baseName } from "../../words/path.ts";
import { folderOf } from "./survey.ts";
import type { Pm2File } from "./pm2-files.ts";

/** A proposal for `svcm.yaml` without its keys, as plain data in the order of the file. */
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

/** The files of one folder with a package.json, or of the root. */
interface Group {
  readonly folder: string;
  readonly env: readonly DetectedEnvFile[];
  readonly pm2: readonly Pm2File[];
}

const ORDER = ["dev", "test", "ci", "e2e", "qa", "sandbox", "uat", "staging", "production"];

export function layoutOf(detection: Detection): Layout {
  const groups = groupsOf(detection);
  const names = environmentNames(groups);
  const services = groups.length > 1 ? namedServices(groups, names) : { "": serviceOf(groups[0], names, "") };
  return {
    environments: Object.fromEntries(names.map((name) => [name, aliasesOf(name, names)])),
    default: defaultOf(names, services),
    services,
  };
}

/** The first environment that has an ecosystem file, because most commands need one; else the first. */
function defaultOf(names: readonly string[], services: Layout["services"]): string {
  const started = new Set(Object.values(services).flatMap(({ ecosystem = {} }) => Object.keys(ecosystem)));
  return names.find((name) => started.has(name)) ?? names[0] ?? "dev";
}

function groupsOf({ packages, env, pm2 }: Detection): Group[] {
  const homes = new Map<string, { env: DetectedEnvFile[]; pm2: Pm2File[] }>();
  const homeOf = (path: string): { env: DetectedEnvFile[]; pm2: Pm2File[] } => {
    const inside = (folder: string): boolean => folder === "." || path.startsWith(`${folder}/`);
    const home = packages.filter(inside).toSorted((a, b) => b.length - a.length)[0] ?? ".";
    const group = homes.get(home) ?? { env: [], pm2: [] };
    homes.set(home, group);
    return group;
  };
  for (const file of env) homeOf(file.path).env.push(file);
  for (const file of pm2) homeOf(file.path).pm2.push(file);
  return [...homes]
    .map(([folder, files]) => ({ folder, ...files }))
    .toSorted((a, b) => compareText(a.folder, b.folder));
}

function environmentNames(groups: readonly Group[]): string[] {
  const used = new Set(
    groups.flatMap(({ env, pm2 }) => [
      ...pm2.flatMap(({ environments }) => Object.keys(environments)),
      ...env.flatMap((file) =>
        file.kind === "values" && file.environment !== undefined ? [nameOf(file.environment)] : [],
      ),
    ]),
  );
  if (
    used.size === 0 ||
    groups.some(({ env }) => env.some((file) => file.kind === "values" && file.environment === undefined))
  )
    used.add("dev");
  return [...used].toSorted((a, b) => rank(a) - rank(b) || compareText(a, b));
}

function rank(name: string): number {
  return ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length;
}

function nameOf(environment: string): string {
  return environment.replaceAll(/[^a-z\d._-]/g, "-").replace(/^[^a-z\d]+/, "") || "dev";
}

/** Several groups: each folder is a service; a PM2 file above serves those whose folder its apps run in. */
function namedServices(groups: readonly Group[], names: readonly string[]): Record<string, ServiceLayout> {
  const taken = new Set<string>();
  const shared = groups.flatMap(({ pm2 }) => pm2);
  const claimed = new Set<string>();
  const entries = groups
    .filter(({ folder }) => folder !== ".")
    .map((group) => {
      const above = shared.filter(({ path }) => !path.startsWith(`${group.folder}/`));
      const mine = above.flatMap((file) =>
        file.apps.filter((app) => isWithin(app.folder, group.folder)).map((app) => ({ file, app })),
      );
      for (const { app } of mine) claimed.add(app.name);
      const service = serviceOf(
        { ...group, pm2: [...group.pm2, ...new Set(mine.map(({ file }) => file))] },
        names,
        group.folder,
      );
      const apps = [...new Set(mine.map(({ app }) => app.name))];
      return [freeName(baseName(group.folder), taken), apps.length > 0 ? { ...service, apps } : service] as const;
    });
  const root = groups.find(({ folder }) => folder === ".");
  const rest = root?.pm2.flatMap(({ apps }) => apps.map(({ name }) => name)).filter((name) => !claimed.has(name)) ?? [];
  const needsRoot =
    root &&
    (root.env.some(({ kind }) => kind === "values") ||
      rest.length > 0 ||
      root.pm2.some(({ apps }) => apps.length === 0));
  if (!needsRoot) return Object.fromEntries(entries);
  const service = serviceOf(root, names, "");
  const own = claimed.size > 0 && rest.length > 0 ? { ...service, apps: [...new Set(rest)] } : service;
  return Object.fromEntries([[freeName("main", taken), own], ...entries]);
}

function isWithin(folder: string | undefined, of: string): boolean {
  return folder !== undefined && (folder === of || folder.startsWith(`${of}/`) || folder.endsWith(`/${of}`));
}

function freeName(wanted: string, taken: Set<string>): string {
  const base = wanted.replaceAll(/[^\w.-]/g, "-").replace(/^[^A-Za-z\d]+/, "") || "service";
  let name = base;
  for (let count = 2; taken.has(name); count += 1) name = `${base}-${count}`;
  taken.add(name);
  return name;
}

function serviceOf(group: Group | undefined, names: readonly string[], folder: string): ServiceLayout {
  if (!group) return {};
  const template = group.env.find(({ kind }) => kind === "template")?.path;
  const ecosystem = ecosystemOf(group.pm2, names, folder);
  const env = envOf(group, names, folder);
  return {
    ...(folder !== "" && { folder }),
    ...(Object.keys(ecosystem).length > 0 && { ecosystem }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(template !== undefined && { template: relative(folder, template) }),
  };
}

function ecosystemOf(pm2: readonly Pm2File[], names: readonly string[], folder: string): Record<string, unknown> {
  const entries = names.flatMap((name): [string, unknown][] => {
    const files = pm2.filter(({ environments }) => Object.hasOwn(environments, name));
    const sources = files.map(({ path, environments }) => source(path, environments[name] ?? null, folder));
    return sources.length === 0 ? [] : [[name, sources.length === 1 ? sources[0] : sources]];
  });
  return Object.fromEntries(entries);
}

function source(path: string, env: string | null, folder: string): unknown {
  const file = relative(folder, path);
  const isAbove = file.startsWith("../");
  if (env === null && !isAbove) return file;
  return { file, ...(isAbove && { cwd: relative(folder, folderOf(path)) }), ...(env !== null && { env }) };
}

/** A plain `.env` counts for every environment that has no file; `.local` layers over its base. */
function envOf({ env }: Group, names: readonly string[], folder: string): Record<string, unknown> {
  const values = env.filter(({ kind }) => kind === "values");
  const plain = values.filter(({ environment }) => environment === undefined);
  const expected = plain.length === 0 && values.length === 0 && env.length > 0 ? [plainBeside(env[0]?.path ?? "")] : [];
  const entries = names.flatMap((name): [string, unknown][] => {
    const own = values.filter(({ environment }) => environment !== undefined && nameOf(environment) === name);
    const files = own.length > 0 ? own : plain;
    const encrypted = files.find(({ isEncrypted }) => isEncrypted);
    if (encrypted) return [[name, { file: relative(folder, encrypted.path), encrypted: "dotenvx" }]];
    const layers = [...files.filter(({ isLocal }) => !isLocal), ...files.filter(({ isLocal }) => isLocal)].map(
      ({ path }) => path,
    );
    const paths = (layers.length > 0 ? layers : expected).map((path) => relative(folder, path));
    return paths.length === 0 ? [] : [[name, paths.length === 1 ? paths[0] : paths]];
  });
  return Object.fromEntries(entries);
}

/** Of a template alone: the file that is made of it. */
function plainBeside(template: string): string {
  const folder = folderOf(template);
  return folder === "." ? ".env" : `${folder}/.env`;
}

function relative(folder: string, path: string): string {
  if (folder === "") return path;
  const [from, to] = [folder.split("/"), path === "." ? [] : path.split("/")];
  let common = 0;
  while (common < from.length && from[common] === to[common]) common += 1;
  return [...from.slice(common).map(() => ".."), ...to.slice(common)].join("/") || ".";
}
