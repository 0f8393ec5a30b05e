import { canonicalArguments, canonicalValue } from "../pm2/normalise.ts";
import { declaredApps, type DeclaredApp, type Machine } from "../pm2/declared.ts";
import type { Data, LoadedApp, LoadedEcosystem } from "../pm2/loaded.ts";
import { parsePort } from "../words/port.ts";
import { declaredSettings, type Settings } from "../pm2/settings.ts";
import type { AppProbe } from "./settings/probe.ts";
import { isRecord } from "../words/record.ts";
import { workingFolders } from "../pm2/problem.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { Ports } from "../ports/index.ts";

/** Arguments and environment are digests. */
export interface ExpectedApp extends Omit<DeclaredApp, "env" | "args" | "interpreterArgs" | "watch"> {
  readonly watch: boolean;
  readonly argsDigest: string;
  readonly interpreterArgsDigest: string;
  /** One map for each possible environment: as declared, and with each block `env_<name>` that belongs to it. */
  readonly environments: readonly Readonly<Record<string, string>>[];
  /** Not compared: PM2 sets them for each process, or the file has no value for them. */
  readonly openKeys: readonly string[];
  readonly envFiles: readonly string[];
  readonly settings: Settings;
  /** `""` without a name. */
  readonly service: string;
  /** The ecosystem file that declares it. */
  readonly definedIn: string;
  /** From `SVC_HTTP_PORT`, if that is a port. */
  readonly httpPort: number | null;
  readonly probe?: AppProbe | undefined;
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
    const openKeys = [...perProcessKeys(source), ...source.unset];
    const digests = (variables: Readonly<Record<string, Data>>): Record<string, string> =>
      Object.fromEntries(
        Object.entries(variables)
          .filter(([key]) => !openKeys.includes(key))
          .map(([key, value]) => [key, digest(canonicalValue(value))]),
      );
    return {
      ...app,
      watch: watch !== false,
      argsDigest: digest(canonicalArguments(args)),
      interpreterArgsDigest: digest(canonicalArguments(interpreterArgs)),
      environments: [{}, ...listBlocks(source, spellings)].map((block) => digests({ ...env, ...block })),
      openKeys,
      service: source.start?.service ?? "",
      definedIn: source.start?.path ?? loaded.path,
      envFiles: source.places.envFiles.map(({ path }) => path),
      settings: declaredSettings(source.fields, { name: app.name, cwd: app.cwd, pm2Home: machine.pm2Home }, digest),
      httpPort: parsePort(env["SVC_HTTP_PORT"]),
    };
  });
}

function listBlocks({ fields }: LoadedApp, spellings: readonly string[]): { readonly [key: string]: Data }[] {
  return spellings.map((spelling) => fields[`env_${spelling}`]).filter((block) => isRecord(block));
}

function perProcessKeys({ fields }: LoadedApp): string[] {
  const { increment_var: incrementVar, instance_var: instanceVar } = fields;
  return ["NODE_APP_INSTANCE", incrementVar, instanceVar].filter((key) => typeof key === "string");
}

export interface FileState {
  readonly modifiedMs: (path: string) => number | undefined;
  readonly missingFolders: ReadonlySet<string>;
}

export function sourceFiles(expected: readonly ExpectedApp[]): string[] {
  return [...new Set(expected.flatMap(({ envFiles }) => envFiles))];
}

export function readFileState(
  { stamps }: Pick<Ports, "stamps">,
  expected: readonly ExpectedApp[],
  running: readonly ProcessRecord[],
): FileState {
  const files = sourceFiles(expected);
  const modified = new Map(stamps.read(files).map((stamp, index) => [files[index], stamp?.modifiedMs]));
  return { missingFolders: stamps.missing(workingFolders(running)), modifiedMs: (path) => modified.get(path) };
}
