import type { AlertRule } from "../api/names.ts";
import type { Role } from "../api/rights.ts";
import type { Limits } from "../caller.ts";
import type { CapabilityMatrix, RuntimeContract } from "../facts/schema.ts";

/** The file in the root in which a repository declares where its files are. */
export const PROJECT_FILE = "svcm.yaml";

/** The content of `svcm.yaml`. Paths are as written: relative to the root, or to the service's folder. */
export interface Project {
  /** Canonical names with their aliases, in the order of the file. */
  readonly environments: Readonly<Record<string, { readonly aliases: readonly string[] }>>;
  readonly defaultEnvironment: string;
  readonly pm2Home: string | undefined;
  /** Folders outside the root that symbolic links may lead into. */
  readonly folders: readonly string[];
  /** Folders that may hold logs, in addition to PM2_HOME and those of the apps. */
  readonly logFolders: readonly string[];
  /** At least one. A service without a name has the name `""`. */
  readonly services: Readonly<Record<string, Service>>;
  /** The keys of the runtime contract; `undefined` if they are in `config/runtime-contract.yaml`. */
  readonly keys: RuntimeContract["keys"] | undefined;
  /** The NATS server for several machines, and its users and nodes. */
  readonly nats: NatsProject | undefined;
  /** Keys with an unconfirmed guess, and the reason for the guess. */
  readonly guesses: Readonly<Record<string, string>>;
  /** True if `svcm serve` records the history. */
  readonly record: boolean;
  readonly alerts: AlertSettings | undefined;
}

/** Names of variables, because the file is in the repository and the URLs are secret. */
export interface AlertSettings {
  readonly webhook: string | undefined;
  readonly webhookSecret: string | undefined;
  /** A program and its arguments, run without a shell. */
  readonly command: readonly string[] | undefined;
  readonly heartbeat: string | undefined;
  /** For each rule, a hold-off such as `10m`, or `off`. */
  readonly rules: Readonly<Partial<Record<AlertRule, string>>>;
}

export interface NatsProject {
  /** Addresses of the servers of one cluster. */
  readonly servers: readonly string[];
  /** A user has the public key of its credentials, a role, and limits as a token has. */
  readonly users: Readonly<Record<string, Limits & { readonly nkey?: string | undefined; readonly role: Role }>>;
  readonly nodes: Readonly<Record<string, FleetNode>>;
  /** The limits of the event stream, as written. */
  readonly events: EventLimits;
}

export interface EventLimits {
  /** For example `30d`. */
  readonly maxAge?: string | undefined;
  /** For example `1GB`. */
  readonly maxBytes?: string | undefined;
  readonly maxPerNode?: number | undefined;
}

export interface FleetNode {
  readonly nkey: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
}

export interface Service {
  readonly folder: string;
  /** By canonical name of the environment. */
  readonly ecosystem: Readonly<Record<string, readonly EcosystemSource[]>>;
  /** The names of its apps, if its ecosystem files also contain apps of other services. */
  readonly apps: readonly string[] | undefined;
  /** By canonical environment. */
  readonly env: Readonly<Record<string, EnvSource>>;
  readonly template: string | undefined;
  /** The settings of an apply as written, already checked. */
  readonly rollout: unknown;
}

/** One ecosystem file, as the team starts it: `cd <cwd> && pm2 start <file> --env <env>`. */
export interface EcosystemSource {
  readonly file: string;
  readonly cwd: string | undefined;
  readonly env: string | undefined;
}

export interface EnvSource {
  /** At least one file. Later files override earlier ones; svcm writes to the last. */
  readonly layers: readonly string[];
  /** An encrypted file is neither read nor written. */
  readonly encrypted: "dotenvx" | undefined;
}

/** The runtime contract of a repository with a `svcm.yaml`: its environments, and its keys if it declares any. */
export function projectContract(project: Project, contract: RuntimeContract): RuntimeContract {
  const environments = Object.entries(project.environments).map(([name, { aliases }]) => [
    name,
    { file: envFileName(project, name), aliases: [...aliases] },
  ]);
  return {
    ...contract,
    environments: Object.fromEntries(environments),
    defaultEnvironment: project.defaultEnvironment,
    ...(project.keys && { keys: project.keys, profiles: {} }),
  };
}

/** Refuses a repository that declares keys in both files, because svcm does not merge them. */
export const KEYS_TWICE =
  "svcm.yaml declares keys, and config/runtime-contract.yaml exists too. A repository declares its keys in one of them.";

/** The matrix of such a repository: its environments are its PM2 profiles. */
export function projectMatrix(
  project: Project,
  { pm2ProfileAliases: _aliases, ...matrix }: CapabilityMatrix,
): CapabilityMatrix {
  const pm2Profiles = Object.keys(project.environments);
  const { pm2Profile } = matrix.migration;
  const migrated = pm2Profiles.includes(pm2Profile) ? pm2Profile : project.defaultEnvironment;
  return { ...matrix, pm2Profiles, migration: { ...matrix.migration, pm2Profile: migrated } };
}

/** The file that a write of the environment changes, in the first service that has one. */
function envFileName(project: Project, environment: string): string {
  const layers = Object.values(project.services).flatMap(({ env }) => env[environment]?.layers.at(-1) ?? []);
  return layers[0]?.split("/").at(-1) ?? `.env.${environment}`;
}
