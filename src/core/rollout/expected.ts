import type { HasStamps } from "../files/ports.ts";
import { canonicalArguments, canonicalValue, fieldNames, firstValue } from "../pm2/normalise.ts";
import { declaredApps, type DeclaredApp, type Machine } from "../pm2/declared.ts";
import type { Data, LoadedApp, LoadedEcosystem } from "../pm2/loaded.ts";
import { parsePort } from "../words/numbers.ts";
import { splitVolatile } from "../pm2/volatile.ts";
import { declaredSettings, type Settings } from "../pm2/settings.ts";
import type { AppProbe } from "./settings.ts";
import { isRecord } from "../words/record.ts";
import { startCommand, type StartCommand } from "../running/env-files.ts";
import { loadedPaths, type LoadedPaths } from "../running/loaded-paths.ts";
import { workingFolders, type ProcessRecord } from "../pm2/process-record.ts";

/** Arguments and environment are digests. */
export interface ExpectedApp extends Omit<DeclaredApp, "env" | "args" | "interpreterArgs" | "watch"> {
  readonly watch: boolean;
  readonly argsDigest: string;
  readonly interpreterArgsDigest: string;
  /** One map for each possible environment: as declared, and with each block `env_<name>` that belongs to it. */
  readonly environments: readonly Readonly<Record<string, string>>[];
  /** Not compared: PM2 sets them for each process, or the file has no value for them. */
  readonly openKeys: readonly string[];
  /** See `ValuesFacts`. */
  readonly copiesShell?: boolean | undefined;
  /** Only their presence is compared: the file gives another value in each run. */
  readonly volatileKeys: readonly string[];
  readonly counter?: Counter | undefined;
  readonly envFiles: readonly string[];
  readonly command: StartCommand;
  readonly loads: LoadedPaths;
  readonly settings: Settings;
  /** `""` without a name. */
  readonly service: string;
  /** The ecosystem file that declares it. */
  readonly definedIn: string;
  /** From `SVC_HTTP_PORT`, if that is a port. */
  readonly httpPort: number | null;
  readonly port?: number | null;
  readonly probe?: AppProbe | undefined;
}

type DeclaredPorts = Pick<ExpectedApp, "httpPort" | "port">;

/** The port that an app and a process take from the same variable. */
export function sharedPort(app: DeclaredPorts, process: DeclaredPorts): number | undefined {
  const pairs = [
    [app.httpPort, process.httpPort],
    [app.port, process.port],
  ];
  return pairs.find(([own, other]) => own && own === other)?.[0] ?? undefined;
}

/** PM2 counts the variable up with each instance. */
export interface Counter {
  readonly key: string;
  /** A list for each of the environments, in the order of PM2's ids. */
  readonly digests: readonly (readonly string[])[];
}

export interface ExpectContext {
  readonly machine: Machine;
  /** A process may have been started with `--env` and any of these. */
  readonly spellings: readonly string[];
  readonly digest: (value: string) => string;
}

export function expectedApps(loaded: LoadedEcosystem, { machine, spellings, digest }: ExpectContext): ExpectedApp[] {
  const declared = declaredApps(loaded, machine);
  return loaded.apps.flatMap((source, index) => {
    const found = declared[index];
    if (found === undefined) return [];
    const { env, args, interpreterArgs, watch, ...app } = found;
    const openKeys = [...perProcessKeys(source), ...source.unset, ...(source.inherited ?? [])];
    const { variables: volatileKeys, fields: volatileFields } = splitVolatile(source);
    const digestOf = (field: (typeof volatileFields)[number], value: string): string =>
      volatileFields.includes(field) ? "" : digest(value);
    const digests = (variables: Readonly<Record<string, Data>>): Record<string, string> =>
      Object.fromEntries(
        Object.entries(variables)
          .filter(([key]) => !openKeys.includes(key))
          .map(([key, value]) => [key, volatileKeys.includes(key) ? "" : digest(canonicalValue(value))]),
      );
    const environments = [
      {},
      ...spellings.map((spelling) => source.fields[`env_${spelling}`]).filter((block) => isRecord(block)),
    ].map((block) => ({ ...env, ...block }));
    const texts = Object.fromEntries(
      environments
        .flatMap((variables) => Object.entries(variables))
        .map(([key, value]) => [key, canonicalValue(value)]),
    );
    return {
      ...app,
      watch: watch !== false,
      argsDigest: digestOf("args", canonicalArguments(args)),
      interpreterArgsDigest: digestOf("interpreterArgs", canonicalArguments(interpreterArgs)),
      environments: environments.map((variables) => digests(variables)),
      openKeys,
      copiesShell: source.inherited !== undefined,
      volatileKeys,
      counter: createCounter(source, app.instances, environments, digest),
      service: source.start?.service ?? "",
      definedIn: source.start?.path ?? loaded.path,
      envFiles: source.places.envFiles.map(({ path }) => path),
      command: startCommand({ ...found, env: texts }),
      loads: loadedPaths({ ...found, env: texts }),
      settings: declaredSettings(source.fields, { name: app.name, cwd: app.cwd, pm2Home: machine.pm2Home }, digest),
      httpPort: parsePort(env["SVC_HTTP_PORT"]),
      port: parsePort(env["PORT"]),
    };
  });
}

/** The variables that a process should have, by its position among the processes of the app. */
export function environmentsAt(
  { environments, counter }: Pick<ExpectedApp, "environments" | "counter">,
  position: number,
): ExpectedApp["environments"] {
  if (counter === undefined) return environments;
  return environments.map((declared, index) => {
    const counted = counter.digests[index]?.[position];
    return counted === undefined ? declared : { ...declared, [counter.key]: counted };
  });
}

function perProcessKeys({ fields }: LoadedApp): string[] {
  const names = [fieldNames.incrementVar, fieldNames.instanceVar].map((aliases) => firstValue(fields, aliases));
  return ["NODE_APP_INSTANCE", ...names].filter((key) => typeof key === "string");
}

function createCounter(
  { fields }: LoadedApp,
  instances: number,
  environments: readonly Readonly<Record<string, Data>>[],
  digest: ExpectContext["digest"],
): Counter | undefined {
  const key = firstValue(fields, fieldNames.incrementVar);
  if (typeof key !== "string") return undefined;
  const digests = environments.map((variables) => {
    const first = Number(variables[key]) || 0;
    return Array.from({ length: instances }, (_, position) => digest(String(first + position)));
  });
  return { key, digests };
}

export interface FileState {
  readonly modifiedMs: (path: string) => number | undefined;
  readonly missingFolders: ReadonlySet<string>;
}

export function sourceFiles(expected: readonly ExpectedApp[]): string[] {
  return [...new Set(expected.flatMap(({ envFiles }) => envFiles))];
}

export function readFileState(
  { stamps }: HasStamps,
  expected: readonly ExpectedApp[],
  running: readonly ProcessRecord[],
): FileState {
  const files = sourceFiles(expected);
  const modified = new Map(stamps.read(files).map((stamp, index) => [files[index], stamp?.modifiedMs]));
  return { missingFolders: stamps.missing(workingFolders(running)), modifiedMs: (path) => modified.get(path) };
}
