/** The environments that a PM2 file is for, from its name, its blocks and the calls of PM2. */
import { environmentFor, environmentInName, environmentOf } from "../../words/environment-names.ts";
import { environmentOfCall, type Pm2Call } from "./pm2-calls.ts";
import type { Pm2App } from "./parse-apps.ts";
import type { Pm2File } from "./pm2-file.ts";
import { joinPath } from "./survey.ts";

export type Starts = Pick<Pm2File, "environments" | "only" | "isGuess" | "calledFor">;

/** The block of each environment; null for the block `env`. */
type Environments = Map<string, string | null>;

interface DeclaredBlocks {
  /** Names of the blocks `env_<name>`. */
  readonly names: readonly string[];
  /** The environment of the block `env`. */
  readonly bare: string | undefined;
  readonly hasBare: boolean;
}

export function startsOf(
  text: string,
  { named, apps }: Pick<Pm2File, "named" | "apps">,
  allCalls: readonly Pm2Call[],
): Starts {
  const calls = allCalls.filter(({ hasComputedEnv }) => !hasComputedEnv);
  const blocks = readBlocks(text);
  const variants = named === undefined && blocks.names.length === 0 ? variantsIn(apps, allCalls) : undefined;
  if (variants !== undefined) return variants;
  const fallback = named ?? blocks.bare ?? (blocks.names.length > 0 ? "dev" : undefined);
  const environments = calledEnvironments(calls, fallback);
  addDeclared(environments, blocks, named, calls);
  if (environments.size === 0) environments.set(fallback ?? "production", null);
  // A call without any word about the environment does not make production more certain.
  const isGuess = fallback === undefined && calls.every((call) => environmentOfCall(call) === undefined);
  return {
    environments: Object.fromEntries(environments),
    only: startedApps(apps, allCalls, environments, fallback),
    isGuess,
    calledFor: calledFor(allCalls, environments, fallback),
  };
}

/**
 * `shop-prod` and `shop-staging` in one file are one program, and a machine starts one of them with `--only`. A command
 * that starts the file as a whole starts both.
 */
function variantsIn(apps: Pm2File["apps"], calls: readonly Pm2Call[]): Starts | undefined {
  if (calls.some(({ kind }) => kind !== "readme") || apps.some(({ name }) => name === undefined)) return undefined;
  const variants = apps.filter((app) => environmentOfApp(app) && apps.some((other) => isVariant(app, other)));
  const environments = [...new Set(variants.flatMap((app) => environmentOfApp(app) ?? []))];
  if (environments.length < 2 || !environments.includes("production")) return undefined;
  const namesIn = (environment: string): string[] =>
    apps
      .filter((app) => !variants.includes(app) || environmentOfApp(app) === environment)
      .flatMap(({ name }) => name ?? []);
  return {
    environments: Object.fromEntries(environments.map((environment) => [environment, null])),
    only: Object.fromEntries(environments.map((environment) => [environment, namesIn(environment)])),
    isGuess: false,
    calledFor: [],
  };
}

function isVariant(one: Pm2App, other: Pm2App): boolean {
  return plainName(one) === plainName(other) && environmentOfApp(one) !== environmentOfApp(other);
}

function environmentOfApp({ name = "" }: Pm2App): string | undefined {
  return environmentInName(name);
}

function readBlocks(text: string): DeclaredBlocks {
  const found = [...text.matchAll(/\benv_([A-Za-z][\w-]*)["']?\s*:/g)].map(([, name = ""]) => name);
  const bare = /\benv["']?\s*:\s*\{?[^{}]*?NODE_ENV["']?\s*:\s*["']?(\w+)/.exec(text)?.[1] ?? "";
  return {
    names: [...new Set(found)].filter((name) => name !== "file"),
    bare: environmentOf(bare),
    hasBare: /\benv["']?\s*:/.test(text),
  };
}

function calledEnvironment(call: Pm2Call, fallback: string | undefined): string {
  return environmentOfCall(call) ?? fallback ?? "production";
}

function calledEnvironments(calls: readonly Pm2Call[], fallback: string | undefined): Environments {
  const environments: Environments = new Map();
  for (const call of calls) {
    const environment = calledEnvironment(call, fallback);
    environments.set(environment, environments.get(environment) ?? call.env ?? null);
  }
  return environments;
}

/** `--env "$ENV"` may be for each environment of the file. */
function calledFor(calls: readonly Pm2Call[], environments: Environments, fallback: string | undefined): string[] {
  const strong = calls.filter(({ kind }) => kind !== "readme");
  const named = strong.flatMap((call) =>
    call.hasComputedEnv ? [...environments.keys()] : calledEnvironment(call, fallback),
  );
  return [...new Set(named)];
}

/** The names after `--only`, where each call for an environment has them. */
function startedApps(
  apps: Pm2File["apps"],
  calls: readonly Pm2Call[],
  environments: Environments,
  fallback: string | undefined,
): Record<string, readonly string[]> {
  const limits = new Map<string, readonly string[] | undefined>();
  for (const call of calls.filter(({ hasComputedEnv, hasComputedOnly }) => !hasComputedEnv && !hasComputedOnly)) {
    const environment = calledEnvironment(call, fallback);
    const names = limits.get(environment);
    const both = names && call.only ? [...new Set([...names, ...call.only])] : undefined;
    limits.set(environment, limits.has(environment) ? both : call.only);
  }
  const hasComputedOnly = calls.some((call) => call.hasComputedOnly);
  const limited = [...environments.keys()].map((environment) => {
    const names = limits.has(environment) || !hasComputedOnly ? limits.get(environment) : namesFor(apps, environment);
    return [environment, names] as const;
  });
  return Object.fromEntries(limited.flatMap(([name, names]) => (names === undefined ? [] : [[name, names]])));
}

/** `--only "$APP"` starts one of the apps, and their names say which is for which environment. */
function namesFor(apps: Pm2File["apps"], environment: string): readonly string[] | undefined {
  const names = apps.flatMap(({ name }) => name ?? []);
  const own = names.filter((name) => environmentInName(name) === environment);
  if (own.length > 0) return own;
  const free = names.filter((name) => environmentInName(name) === undefined);
  return free.length < names.length && names.length === apps.length ? free : undefined;
}

/** Also those that nothing calls. */
function addDeclared(
  environments: Environments,
  { names, bare, hasBare }: DeclaredBlocks,
  named: string | undefined,
  calls: readonly Pm2Call[],
): void {
  const add = (environment: string, block: string | null): void => {
    if (!environments.has(environment)) environments.set(environment, block);
  };
  if (named !== undefined) add(named, names.find((name) => environmentFor(name) === named) ?? null);
  const used = new Set(calls.map(({ env }) => env));
  for (const name of names.filter((block) => !used.has(block))) add(environmentFor(name), name);
  // A block that no call uses and that names no environment is what the others have in common.
  const isStarted = bare !== undefined || calls.length === 0;
  if (hasBare && names.length > 0 && named === undefined && isStarted) add(bare ?? "dev", null);
}

/** Files that declare the same app: by its name apart from the environment in it, its script or its port. */

export function alternatives(files: readonly Pm2File[]): Pm2File[][] {
  const groups: Pm2File[][] = [];
  for (const file of files) {
    const joined = groups.filter((group) => group.some((other) => isAlternative(other, file)));
    const rest = groups.filter((group) => !joined.includes(group));
    groups.splice(0, groups.length, ...rest, [...joined.flat(), file]);
  }
  return groups.filter((group) => group.length > 1);
}

export function isAlternative(one: Pm2File, other: Pm2File): boolean {
  if (one.part !== undefined && other.part !== undefined) return false;
  return other.apps.some((app) => sharesApp(one, app, other));
}

function sharesApp(one: Pm2File, app: Pm2App, of: Pm2File): boolean {
  const script = scriptPath(of, app);
  return one.apps.some((other) => {
    if (script !== undefined && script === scriptPath(one, other)) return true;
    if (one.home !== of.home) return false;
    if (plainName(other) === plainName(app)) return true;
    return other.ports.some((port) => app.ports.includes(port));
  });
}

/** `shop-socket-dev` and `shop-socket` are one app for two environments. */
function plainName({ name, source }: Pm2App): string {
  if (name === undefined) return source;
  const words = name.split(/[^A-Za-z\d]+/);
  const plain = words.filter((word) => environmentInName(word) === undefined).join("-");
  return plain || name;
}

export function scriptPath({ cwd }: Pm2File, app: Pm2App): string | undefined {
  if (app.script === undefined) return undefined;
  if (app.script.startsWith("/")) return app.script;
  const folder = app.cwd?.startsWith("/") === true ? app.cwd : joinPath(cwd, app.cwd ?? ".");
  return `${folder}/${app.script}`.replace(/^\.\//, "");
}
