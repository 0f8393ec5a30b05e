import { canonicalArguments, canonicalValue } from "../metrics/canonical-value.ts";
import { declaredApps, type DeclaredApp, type Machine } from "./declared.ts";
import type { Data, LoadedApp, LoadedEcosystem } from "./loaded.ts";
import { isRecord } from "./normalise.ts";

/** An app as its processes are compared with it: arguments and environment as digests only. */
export interface ExpectedApp extends Omit<DeclaredApp, "env" | "args" | "interpreterArgs" | "watch"> {
  readonly watch: boolean;
  readonly argsDigest: string;
  readonly interpreterArgsDigest: string;
  /** What the environment may be, by key: as declared, then with each block `env_<name>` that belongs to it. */
  readonly environments: readonly Readonly<Record<string, string>>[];
  /** Absolute paths of the files of `--env-file`. */
  readonly envFiles: readonly string[];
}

export interface Expecting {
  readonly machine: Machine;
  /** Every spelling of the environment: a process may have been started with `--env` and any of them. */
  readonly spellings: readonly string[];
  readonly digest: (value: string) => string;
}

/** Every app of a file, ready to be compared; holds no value of an environment. */
export function expectedApps(loaded: LoadedEcosystem, { machine, spellings, digest }: Expecting): ExpectedApp[] {
  return declaredApps(loaded, machine).map((declared, index) => {
    const { env, args, interpreterArgs, watch, ...app } = declared;
    const source = loaded.apps[index];
    const blocks = source === undefined ? [] : blocksOf(source, spellings);
    const volatile = source === undefined ? [] : volatileKeys(source);
    return {
      ...app,
      watch: watch !== false,
      argsDigest: digest(canonicalArguments(args)),
      interpreterArgsDigest: digest(canonicalArguments(interpreterArgs)),
      environments: [{}, ...blocks].map((block) => digests({ ...env, ...block }, volatile, digest)),
      envFiles: source?.places.envFiles.map(({ path }) => path) ?? [],
    };
  });
}

/** The blocks that `pm2 start --env <spelling>` lays over `env`. */
function blocksOf({ fields }: LoadedApp, spellings: readonly string[]): { readonly [key: string]: Data }[] {
  return spellings.map((spelling) => fields[`env_${spelling}`]).filter(isRecord);
}

/** Keys that PM2 gives each process another value of. */
function volatileKeys({ fields }: LoadedApp): string[] {
  const { increment_var: counted, instance_var: numbered } = fields;
  return ["NODE_APP_INSTANCE", counted, numbered].filter((key) => typeof key === "string");
}

function digests(
  env: Readonly<Record<string, Data>>,
  volatile: readonly string[],
  digest: Expecting["digest"],
): Record<string, string> {
  const lasting = Object.entries(env).filter(([key]) => !volatile.includes(key));
  return Object.fromEntries(lasting.map(([key, value]) => [key, digest(canonicalValue(value))]));
}
