import { compareText } from "../../api/issue.ts";
import { baseName, relativePath } from "../../words/text.ts";
import type { Detection } from "./detect.ts";
import { type DetectedEnvFile, byPlainness, envLayout, environmentNameOf } from "./env-files.ts";
import { aliasesOf } from "../../words/environment-names.ts";
import type { DetectionNote, Pm2File } from "./pm2-file.ts";
import type { UndecidedFile } from "../../project/project.ts";
import { joinPath } from "./survey.ts";

export interface Layout {
  readonly environments: Readonly<Record<string, readonly string[]>>;
  /** `undefined` if environments share apps: then a command has to name one. */
  readonly default: string | undefined;
  readonly folders?: readonly string[];
  readonly undecided: readonly UndecidedFile[];
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
  /** Of a part; else the folder names the service. */
  readonly name?: string | undefined;
  readonly env: readonly DetectedEnvFile[];
  readonly pm2: readonly Pm2File[];
}

const ORDER = [
  "dev",
  "test",
  "ci",
  "e2e",
  "qa",
  "sandbox",
  "demo",
  "preview",
  "beta",
  "uat",
  "staging",
  "preprod",
  "production",
];

export function proposeLayout({
  env,
  pm2,
  undecided,
  running,
}: Pick<Detection, "env" | "pm2" | "undecided" | "running">): {
  layout: Layout;
  notes: DetectionNote[];
} {
  const homes = [...new Set([...env, ...pm2].map(({ home }) => home))].toSorted(compareText);
  const groups = homes.flatMap((folder) => groupsIn(folder, env, pm2));
  const all = environmentNames({ env, pm2, undecided, running });
  const main = all.find((name) => pm2.some(({ environments }) => Object.hasOwn(environments, name))) ?? all[0] ?? "dev";
  const services = groups.length > 1 ? namedServices(groups, all) : { "": serviceOf(groups[0], all) };
  return {
    layout: {
      environments: Object.fromEntries(all.map((name) => [name, aliasesOf(name, all)])),
      default: sharePrograms(pm2) ? undefined : main,
      services,
      undecided,
    },
    notes: groups.flatMap((group) => [...envLayout(group.env, all, "").notes]),
  };
}

/** A part has the env files of its folder, too, because each server has a copy of the repository. */
function groupsIn(folder: string, env: readonly DetectedEnvFile[], pm2: readonly Pm2File[]): Group[] {
  const own = pm2.filter(({ home }) => home === folder);
  const files = env.filter(({ home }) => home === folder);
  const parts = own.filter(({ part }) => part !== undefined);
  const rest = own.filter(({ part }) => part === undefined);
  const whole = rest.length > 0 || parts.length === 0 ? [{ folder, env: files, pm2: rest }] : [];
  return [...whole, ...parts.map((file) => ({ folder, name: file.part, env: files, pm2: [file] }))];
}

function environmentNames({
  env,
  pm2,
  undecided,
  running,
}: Pick<Detection, "env" | "pm2" | "undecided" | "running">): string[] {
  const values = env.filter(({ kind }) => kind === "values");
  const own = new Set(values.flatMap((file) => environmentNameOf(file) ?? []));
  const open = undecided.flatMap(({ environment }) => environment ?? []);
  const used = new Set([...pm2.flatMap(({ environments }) => Object.keys(environments)), ...open, ...own]);
  const isPlainFileUnassigned =
    values.some((file) => environmentNameOf(file) === undefined) && [...used].every((name) => own.has(name));
  if (used.size === 0 || isPlainFileUnassigned) used.add(environmentOfAll(running) ?? "dev");
  return [...used].toSorted((a, b) => rank(a) - rank(b) || compareText(a, b));
}

/** A machine has one environment, so what runs there without a PM2 file says which. */
function environmentOfAll(running: Detection["running"]): string | undefined {
  const [only, ...others] = new Set(running.map(({ environment }) => environment));
  return others.length === 0 ? only : undefined;
}

function rank(name: string): number {
  return ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length;
}

interface Claim {
  readonly file: Pm2File;
  /** `undefined` for every app of the file. */
  readonly apps: readonly string[] | undefined;
}

/** An app belongs to the service in whose folder it runs, and to one service only. */
function namedServices(groups: readonly Group[], names: readonly string[]): Record<string, ServiceLayout> {
  const taken = new Set<string>();
  const entries = groups.flatMap((group): [string, ServiceLayout][] => {
    const claims = groups.flatMap((other) => other.pm2).flatMap((file) => claimOf(file, group, groups));
    const hasEnv = group.env.some(({ kind }) => kind !== "other");
    if (claims.length === 0 && !hasEnv) return [];
    const wanted = group.name ?? (group.folder === "." ? "main" : baseName(group.folder));
    return [[freeName(wanted, taken), serviceOf(group, names, claims)]];
  });
  return Object.fromEntries(entries);
}

function claimOf(file: Pm2File, group: Group, groups: readonly Group[]): Claim[] {
  const isHome = group.pm2.includes(file);
  if (file.part !== undefined || !isDivisible(file)) return isHome ? [{ file, apps: undefined }] : [];
  const own = file.apps.filter((app) => groupOf(file, app.folder, groups) === group).flatMap(({ name }) => name ?? []);
  if (own.length === 0) return [];
  return [{ file, apps: isHome && own.length === file.apps.length ? undefined : [...new Set(own)] }];
}

/** A file with a computed app name or list is not divided, because those apps would be lost. */
function isDivisible({ apps, isPlain }: Pm2File): boolean {
  return isPlain && apps.length > 0 && apps.every(({ name }) => name !== undefined);
}

function groupOf(file: Pm2File, folder: string | undefined, groups: readonly Group[]): Group | undefined {
  const home = groups.find(({ pm2 }) => pm2.includes(file));
  if (folder === undefined) return home;
  const path = folder.startsWith("/") ? folder : joinPath(file.cwd, folder);
  const around = groups.filter(
    (group) => group.name === undefined && group.folder !== "." && isWithin(path, group.folder),
  );
  return around.toSorted((a, b) => b.folder.length - a.folder.length)[0] ?? home;
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

function serviceOf(
  group: Group | undefined,
  names: readonly string[],
  claims: readonly Claim[] = group?.pm2.map((file) => ({ file, apps: undefined })) ?? [],
): ServiceLayout {
  if (!group) return {};
  const folder = group.folder === "." ? "" : group.folder;
  const template = group.env.filter(({ kind }) => kind === "template").toSorted(byPlainness)[0]?.path;
  const apps = appsOfService(claims);
  const ecosystem = ecosystemOf(claims, apps !== undefined, names, folder);
  const { env } = envLayout(group.env, names, folder);
  return {
    ...(folder !== "" && { folder }),
    ...(Object.keys(ecosystem).length > 0 && { ecosystem }),
    ...(apps && { apps }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(template !== undefined && { template: relativePath(folder, template) }),
  };
}

/** `apps` counts for every file of the service, so each name of a whole file is needed, too. */
function appsOfService(claims: readonly Claim[]): readonly string[] | undefined {
  const isLimited = claims.some(({ apps }) => apps !== undefined);
  if (!isLimited || claims.some(({ file, apps }) => apps === undefined && !isDivisible(file))) return undefined;
  return [...new Set(claims.flatMap(({ file, apps }) => apps ?? file.apps.flatMap(({ name }) => name ?? [])))];
}

function ecosystemOf(
  claims: readonly Claim[],
  hasApps: boolean,
  names: readonly string[],
  folder: string,
): Record<string, unknown> {
  const entries = names.flatMap((name): [string, unknown][] => {
    const present = claims.filter(({ file }) => Object.hasOwn(file.environments, name));
    const sources = present.flatMap(({ file, apps }) => {
      const only = startedOf(file, name, apps);
      if (only?.length === 0) return [];
      return [toEcosystemSource(file, name, folder, file.only[name] === undefined && hasApps ? undefined : only)];
    });
    return sources.length === 0 ? [] : [[name, sources.length === 1 ? sources[0] : sources]];
  });
  return Object.fromEntries(entries);
}

/** The apps of a service that the environment starts; `undefined` for every app of the file. */
function startedOf(
  file: Pm2File,
  environment: string,
  apps: readonly string[] | undefined,
): readonly string[] | undefined {
  const started = file.only[environment];
  if (started === undefined) return apps;
  const declared = isDivisible(file) ? started.filter((name) => file.apps.some((app) => app.name === name)) : started;
  return apps === undefined ? declared : declared.filter((name) => apps.includes(name));
}

function toEcosystemSource(
  { path, cwd: callFolder, environments }: Pm2File,
  environment: string,
  folder: string,
  names: readonly string[] | undefined,
): unknown {
  const file = relativePath(folder, path);
  const env = environments[environment] ?? null;
  const cwd = relativePath(folder, callFolder);
  if (env === null && cwd === "." && names === undefined) return file;
  return { file, ...(cwd !== "." && { cwd }), ...(env !== null && { env }), ...(names && { only: names }) };
}

/** One machine has one of these environments, and nothing in the repository says which. */
function sharePrograms(pm2: readonly Pm2File[]): boolean {
  return pm2.some((file, index) =>
    Object.keys(file.environments).some((environment, at, own) => {
      const isOther = (name: string): boolean => name !== environment && sharesProgram(file, environment, file, name);
      if (own.some((name, position) => position > at && isOther(name))) return true;
      return pm2
        .slice(index + 1)
        .some((other) =>
          Object.keys(other.environments).some(
            (name) => name !== environment && sharesProgram(file, environment, other, name),
          ),
        );
    }),
  );
}

function namesOf({ apps, only }: Pm2File, environment: string): string[] {
  return apps.map(({ name, source }) => name ?? source).filter((name) => only[environment]?.includes(name) ?? true);
}

function sharesProgram(one: Pm2File, inOne: string, other: Pm2File, inOther: string): boolean {
  const programs = new Set(programsOf(one, inOne));
  return programsOf(other, inOther).some((program) => programs.has(program)) || (one === other && programs.size === 0);
}

/** By name and by script: with another name, the same program would run twice on a machine. */
function programsOf(file: Pm2File, environment: string): string[] {
  const names = new Set(namesOf(file, environment));
  const apps = file.apps.filter(({ name, source }) => names.has(name ?? source));
  return [...names, ...apps.flatMap(({ script }) => (script === undefined ? [] : `script ${baseName(script)}`))];
}
