import type { LoadedApp, LoadedEcosystem } from "./loaded.ts";
import { normaliseApp, type NormalisedApp, type Fields } from "./normalise.ts";

/** As `pm2 start <file> --only <name> --update-env` would run it. Contains values, so it never leaves the process. */
export interface DeclaredApp {
  /** `""` if PM2 would derive no name. */
  readonly name: string;
  readonly script: string;
  readonly cwd: string;
  /** If false, PM2 keeps the folder in which the app was first started. */
  readonly declaresCwd: boolean;
  /** Name or path; `node` for PM2's own Node.js, `none` for a binary. */
  readonly interpreter: string;
  readonly interpreterArgs: readonly string[];
  readonly args: readonly string[];
  readonly instances: number;
  readonly execMode: "fork" | "cluster";
  readonly watch: boolean | readonly string[];
  readonly namespace: string;
  /** PM2 adds the variables of its caller. */
  readonly env: Readonly<Record<string, string>>;
}

export interface Machine {
  readonly cpuCores: number;
  readonly pm2Home?: string;
}

/** With PM2's defaults and without blocks `env_<name>`. */
export function declaredApps({ apps }: LoadedEcosystem, machine: Machine): DeclaredApp[] {
  return apps.map((app) => declaredApp(app, machine));
}

function declaredApp({ fields, places, start }: LoadedApp, { cpuCores }: Machine): DeclaredApp {
  const app = normaliseApp(fields);
  const { script, cwd, interpreter } = places;
  return {
    name: app.name,
    script,
    cwd,
    declaresCwd: app.cwd !== undefined || start?.declaresCwd === true,
    interpreter,
    interpreterArgs: app.interpreterArgs,
    args: app.args,
    instances: resolveInstances(cpuCores, app.instances),
    execMode: resolveExecMode(app, interpreter),
    watch: app.watch,
    namespace: app.namespace,
    env: startEnvironment(app, interpreter),
  };
}

export function startEnvironment({ env }: NormalisedApp, interpreter: string): NormalisedApp["env"] {
  return interpreter.includes("python") ? { ...env, PYTHONUNBUFFERED: "1" } : env;
}

function resolveInstances(cpuCores: number, instances = 1): number {
  if (instances === 0) return cpuCores;
  return Math.max(1, instances < 0 ? cpuCores + instances : instances);
}

/** For PM2, any number of instances means cluster mode, even `1`. */
export function resolveExecMode({ execMode, instances = -2 }: NormalisedApp, interpreter: string): "fork" | "cluster" {
  if (execMode !== undefined) return execMode;
  return instances >= -1 && /(?:node|bun)$/.test(interpreter) ? "cluster" : "fork";
}

export interface Declaration {
  readonly name: string;
  readonly apps: readonly Fields[];
  /** A relative `cwd` is resolved against it. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** The file reads a variable for these that svcm does not pass to it. */
  readonly unset: readonly string[];
  readonly missingFolder: string | undefined;
  /** Only `pm2 start --env` reads these blocks `env_<name>`. */
  readonly blocks: readonly string[];
}

/** @returns the declaration of one app by its name */
export function declarationsOf(
  loaded: LoadedEcosystem,
  { machine, spellings }: { readonly machine: Machine; readonly spellings: readonly string[] },
): (name: string) => Declaration {
  const declared = declaredApps(loaded, machine);
  const blocks = new Set(spellings.map((spelling) => `env_${spelling}`));
  return (name) => {
    const found = loaded.apps.filter((_app, index) => declared[index]?.name === name);
    const environments = declared.filter((app) => app.name === name).map(({ env }) => env);
    const { folder = "/" } = found[0]?.places ?? {};
    return {
      name,
      apps: found.map(({ fields, places }) => ({
        ...fields,
        name,
        ...(places.folder !== folder && { cwd: places.cwd }),
      })),
      folder,
      env: Object.assign({}, ...environments) as Record<string, string>,
      unset: [...new Set(found.flatMap(({ unset }) => unset))].toSorted(),
      missingFolder: found.find(({ places }) => !places.hasCwd)?.places.cwd,
      blocks: [...new Set(found.flatMap(({ keys }: LoadedApp) => keys.filter((key) => blocks.has(key))))],
    };
  };
}
