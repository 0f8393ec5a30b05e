import { type LoadedApp, type LoadedEcosystem, ecosystemFileNames } from "./loaded.ts";
import { normaliseApp, type NormalisedApp, type Fields } from "./normalise.ts";
import type { HasFacts, HasWorkspace } from "../project/port-repository.ts";
import type { HasEcosystems } from "./ports.ts";
import { ecosystemSpellings } from "../project/resolve.ts";

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
  /** `""` if none is declared. */
  readonly missingScript: string | undefined;
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
      missingScript: found.find(({ places }) => !places.hasScript)?.places.script,
      blocks: [...new Set(found.flatMap(({ keys }: LoadedApp) => keys.filter((key) => blocks.has(key))))],
    };
  };
}

const INHERITED_VARIABLES = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|NODE_ENV)$/;
/** PM2 adds these, and a variable with the name of the app. */
const PM2_VARIABLES = /^(?:PM2_\w+|PWD|NODE_APP_INSTANCE|unique_id|io)$/;
/** PM2's command line, its library and pm2-runtime each set one of these; svcm removes them. */
const OTHER_STARTER = /^PM2_(?:USAGE|PROGRAMMATIC|DISCRETE_MODE)$/;

/** Set by terminals, shells, logins and package managers; never by an ecosystem file. */
const SHELL_VARIABLES =
  /^(?:_|SHLVL|OLDPWD|TERM|TERM_\w+|COLORTERM|COLUMNS|LINES|DISPLAY|WAYLAND_DISPLAY|EDITOR|VISUAL|PAGER|LESS\w*|MAIL|HOSTNAME|HIST\w+|PS\d|LS_COLORS|MOTD_SHOWN|INVOCATION_ID|JOURNAL_STREAM|SYSTEMD_\w+|(?:SSH|XDG|DBUS|SUDO|NVM|FNM|VOLTA|GPG|GIT|VSCODE|TMUX|STY|npm|PNPM|YARN|BASH)(?:_\w+)?)$/;

export function isInherited(variable: string): boolean {
  return INHERITED_VARIABLES.test(variable);
}

/** Each variable of such a process comes from svcm's base environment, from PM2 or from a declaration. */
export function isStartedBySvcm(environment: Readonly<Record<string, unknown>>): boolean {
  return "PM2_HOME" in environment && !Object.keys(environment).some((key) => OTHER_STARTER.test(key));
}

export function isDeclaredVariable(variable: string, app: string): boolean {
  return variable !== app && !isInherited(variable) && !PM2_VARIABLES.test(variable);
}

export function isPm2Variable(variable: string): boolean {
  return PM2_VARIABLES.test(variable);
}

/** It says how PM2 was called, and nothing about the app. */
export function isStarterVariable(variable: string, app: string): boolean {
  return variable === app || variable === "PM2_JSON_PROCESSING" || OTHER_STARTER.test(variable);
}

export function isShellVariable(variable: string): boolean {
  return SHELL_VARIABLES.test(variable);
}

export async function environmentsWithEcosystem({
  ecosystems,
  facts,
  workspace,
}: HasEcosystems & HasFacts & HasWorkspace): Promise<string[]> {
  const project = await facts.project();
  const listed = await ecosystems.list(workspace.pm2Dir).catch((): string[] => []);
  const names = ecosystemSpellings(await facts.runtimeContract(), await facts.capabilityMatrix()).values();
  return [...new Set(names)].filter((name) =>
    project === undefined
      ? ecosystemFileNames(name).some((file) => listed.includes(file))
      : Object.values(project.services).some(({ ecosystem }) => Object.hasOwn(ecosystem, name)),
  );
}
