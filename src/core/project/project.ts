import { ownMember } from "../words/record.ts";
import type { Limits, Role } from "../api/rights.ts";
import type { AlertRule } from "../api/names.ts";
import type { DeploySettings } from "./deploy-settings.ts";
import type { CapabilityMatrix, RuntimeContract } from "../api/facts.ts";

export const PROJECT_FILE = "svcm.yaml";

/** Paths are as written: relative to the root, or to the service's folder. */
export interface Project {
  readonly environments: Readonly<Record<string, { readonly aliases: readonly string[] }>>;
  readonly defaultEnvironment: string;
  /** False if the file declares none: then the first one is shown, and nothing is changed without a name. */
  readonly hasDefault: boolean;
  /** PM2 files that `svcm init` left out, because no caller says whether the team starts them. */
  readonly undecided: readonly UndecidedFile[];
  readonly pm2Home: string | undefined;
  /** Outside the root; symbolic links may lead there. */
  readonly folders: readonly string[];
  /** In addition to PM2_HOME and those of the apps. */
  readonly logFolders: readonly string[];
  /** `undefined` if svcm is not to rotate logs. */
  readonly logs: LogSettings | undefined;
  /** At least one; `""` without a name. */
  readonly services: Readonly<Record<string, Service>>;
  /** `undefined` if they are in `config/runtime-contract.yaml`. */
  readonly keys: RuntimeContract["keys"] | undefined;
  readonly nats: NatsProject | undefined;
  readonly guesses: Readonly<Record<string, string>>;
  readonly record: boolean;
  readonly alerts: AlertSettings | undefined;
  /** Of the whole checkout. */
  readonly deploy: DeploySettings | undefined;
}

/** Nothing says whether the team starts the file in that environment. */
export interface UndecidedFile {
  readonly file: string;
  /** `undefined` for every environment. */
  readonly environment?: string | undefined;
  readonly why?: string | undefined;
}

/** Names of variables, because the file is in the repository and the URLs are secret. */
export interface AlertSettings {
  readonly webhook: string | undefined;
  readonly webhookSecret: string | undefined;
  readonly command: readonly string[] | undefined;
  readonly heartbeat: string | undefined;
  /** A hold-off such as `10m`, or `off`. */
  readonly rules: Readonly<Partial<Record<AlertRule, string>>>;
}

export interface NatsProject {
  readonly servers: readonly string[];
  readonly users: Readonly<Record<string, Limits & { readonly nkey?: string | undefined; readonly role: Role }>>;
  readonly nodes: Readonly<Record<string, FleetNode>>;
  readonly events: EventLimits;
  /** Servers of a NATS cluster that keep each stream; 1 if absent. */
  readonly replicas?: number | undefined;
}

export interface EventLimits {
  /** For example `30d`. */
  readonly maxAge?: string | undefined;
  readonly maxPerNode?: number | undefined;
}

export interface FleetNode {
  readonly nkey: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
}

export interface Service {
  readonly folder: string;
  readonly ecosystem: Readonly<Record<string, readonly EcosystemSource[]>>;
  /** If its ecosystem files also contain apps of other services. */
  readonly apps: readonly string[] | undefined;
  readonly env: Readonly<Record<string, EnvSource>>;
  readonly template: string | undefined;
  /** Already checked. */
  readonly rollout: unknown;
  /** Patterns of paths, relative to the code unit. */
  readonly code: { readonly include: readonly string[]; readonly exclude: readonly string[] };
  /** If the service has its own deploy. */
  readonly deploy: DeploySettings | undefined;
}

/** `cd <cwd> && pm2 start <file> --only <only> --env <env>`. */
export interface EcosystemSource {
  readonly file: string;
  readonly cwd: string | undefined;
  readonly env: string | undefined;
  /** `undefined` for every app of the file. */
  readonly only: readonly string[] | undefined;
}

export interface EnvSource {
  /** Later files override earlier ones; svcm writes to the last. */
  readonly layers: readonly string[];
  /** Neither read nor written. */
  readonly encrypted: "dotenvx" | undefined;
}

export function projectContract(project: Project, contract: RuntimeContract): RuntimeContract {
  const environments = Object.entries(project.environments).map(([name, { aliases }]) => [
    name,
    { file: envFileName(project, name), aliases: [...aliases] },
  ]);
  return {
    ...contract,
    environments: Object.fromEntries(environments),
    defaultEnvironment: project.defaultEnvironment,
    ...(project.keys && { keys: project.keys, tiers: PROJECT_TIERS, profiles: {} }),
  };
}

export const DUPLICATE_KEYS_MESSAGE =
  "svcm.yaml declares keys, and config/runtime-contract.yaml exists too. A repository declares its keys in one of them.";

/** The environments are its PM2 profiles. */
export function projectMatrix(
  project: Project,
  { pm2ProfileAliases: _aliases, ...matrix }: CapabilityMatrix,
): CapabilityMatrix {
  const pm2Profiles = Object.keys(project.environments);
  const { pm2Profile } = matrix.migration;
  const migrated = pm2Profiles.includes(pm2Profile) ? pm2Profile : project.defaultEnvironment;
  return { ...matrix, pm2Profiles, migration: { ...matrix.migration, pm2Profile: migrated } };
}

function envFileName(project: Project, environment: string): string {
  const layers = Object.values(project.services).flatMap(({ env }) => ownMember(env, environment)?.layers.at(-1) ?? []);
  return layers[0]?.split("/").at(-1) ?? `.env.${environment}`;
}

/** The size that a log may have, and the number of its rotated files that stay. */
export interface LogSettings {
  readonly maxBytes: number;
  readonly keep: number;
  readonly compress: boolean;
}

export interface DeclaredLogs {
  readonly maxSize?: string | undefined;
  readonly keep?: number | undefined;
  readonly compress?: boolean | undefined;
}

const UNITS: Readonly<Record<string, number>> = { K: 2 ** 10, M: 2 ** 20 };

/** @param maxSize of the form LOG_SIZE */
export function logSettings({ maxSize = "50M", keep = 10, compress = true }: DeclaredLogs): LogSettings {
  return { maxBytes: Number(maxSize.slice(0, -1)) * (UNITS[maxSize.slice(-1)] ?? 0), keep, compress };
}

/** The reasons of the tiers of keys that svcm.yaml declares, which its owners chose. */
const PROJECT_TIERS: RuntimeContract["tiers"] = {
  editable: { reason: "svcm.yaml declares it as editable" },
  "read-only": { reason: "svcm.yaml declares it so" },
  "never-exposed": { reason: "svcm.yaml declares no other tier, so it counts as a secret" },
};

/** If svcm.yaml declares the keys, a command can change their tiers. */
export function isProjectContract({ tiers }: RuntimeContract): boolean {
  return tiers === PROJECT_TIERS;
}
