import { canonicalArguments, canonicalValue } from "../pm2/canonical-value.ts";
import { declaredApps, type DeclaredApp, type Machine } from "../pm2/declared.ts";
import type { Data, LoadedApp, LoadedEcosystem } from "../pm2/loaded.ts";
import { parsePort } from "../words/port.ts";
import { declaredSettings, type Settings } from "../pm2/settings.ts";
import type { AppProbe } from "./settings/probe.ts";
import { isRecord } from "../words/record.ts";

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
  /** From `SVC_HTTP_PORT`, if that is a port. */
  readonly httpPort: number | null;
  readonly probe?: AppProbe | undefined;
}

export interface Expecting {
  readonly machine: Machine;
  /** A process may have been started with `--env` and any of these. */
  readonly spellings: readonly string[];
  readonly digest: (value: string) => string;
}

export function expectedApps(loaded: LoadedEcosystem, { machine, spellings, digest }: Expecting): ExpectedApp[] {
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
      environments: [{}, ...blocksOf(source, spellings)].map((block) => digests({ ...env, ...block })),
      openKeys,
      envFiles: source.places.envFiles.map(({ path }) => path),
      settings: declaredSettings(source.fields, { name: app.name, cwd: app.cwd, pm2Home: machine.pm2Home }, digest),
      httpPort: parsePort(env["SVC_HTTP_PORT"]),
    };
  });
}

function blocksOf({ fields }: LoadedApp, spellings: readonly string[]): { readonly [key: string]: Data }[] {
  return spellings.map((spelling) => fields[`env_${spelling}`]).filter((block) => isRecord(block));
}

function perProcessKeys({ fields }: LoadedApp): string[] {
  const { increment_var: counted, instance_var: numbered } = fields;
  return ["NODE_APP_INSTANCE", counted, numbered].filter((key) => typeof key === "string");
}
