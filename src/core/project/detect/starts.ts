/** The environments that a PM2 file is for, from its name, its blocks and the calls of PM2. */
import { environmentFor, environmentOf } from "./environment-names.ts";
import { environmentOfCall, type Pm2Call } from "./pm2-calls.ts";
import type { Pm2File } from "./pm2-file.ts";

export type Starts = Pick<Pm2File, "environments" | "only" | "isGuess">;

/** The block of each environment; null for the block `env`. */
type Environments = Map<string, string | null>;

interface DeclaredBlocks {
  /** Names of the blocks `env_<name>`. */
  readonly names: readonly string[];
  /** The environment of the block `env`. */
  readonly bare: string | undefined;
  readonly hasBare: boolean;
}

export function startsOf(text: string, named: string | undefined, calls: readonly Pm2Call[]): Starts {
  const blocks = readBlocks(text);
  const fallback = named ?? blocks.bare ?? (blocks.names.length > 0 ? "dev" : undefined);
  const environments = calledEnvironments(calls, fallback);
  addDeclared(environments, blocks, named, calls);
  if (environments.size === 0) environments.set(fallback ?? "production", null);
  // A call without any word about the environment does not make production more certain.
  const isGuess = fallback === undefined && calls.every((call) => environmentOfCall(call) === undefined);
  return { environments: Object.fromEntries(environments), only: calledApps(calls, fallback), isGuess };
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

/** Environments of which each call names its apps. */
function calledApps(calls: readonly Pm2Call[], fallback: string | undefined): Record<string, readonly string[]> {
  const only = new Map<string, readonly string[] | undefined>();
  for (const call of calls) {
    const environment = calledEnvironment(call, fallback);
    const names = only.get(environment);
    const both = names && call.only ? [...new Set([...names, ...call.only])] : undefined;
    only.set(environment, only.has(environment) ? both : call.only);
  }
  return Object.fromEntries([...only].flatMap(([name, names]) => (names === undefined ? [] : [[name, names]])));
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
  if (hasBare && names.length > 0 && named === undefined) add(bare ?? "dev", null);
}
