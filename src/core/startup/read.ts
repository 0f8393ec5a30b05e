import { isRecord, ownMember } from "../words/record.ts";
import { specOf } from "../env/runtime-keys.ts";
import type { EnumSpec, RuntimeContract } from "../api/facts.ts";
import type { Issue } from "../api/issue.ts";
import { type Finding, toIssue, withAccepted } from "../findings/rule.ts";
import type { entrypoints } from "../api/names.ts";
import type { Secret } from "../secrets/redact.ts";
import type { PackagedValues } from "../project/facts/packaged.generated.ts";

export interface StartRequest {
  readonly contract: RuntimeContract;
  readonly entrypoint: Entrypoint;
  readonly values: EnvValues;
  /** By key, the values for which the backend has an adapter. A program without types can pass anything. */
  readonly drivers: Readonly<Record<string, readonly string[] | undefined>>;
  readonly hasIndexedDbClient: boolean;
}

export function findEnum({ contract }: Pick<StartRequest, "contract">, key: string): EnumSpec | undefined {
  const spec = specOf(contract, key);
  return spec?.kind === "enum" ? spec : undefined;
}

export function trimmedValue({ values }: StartRequest, key: string): string {
  return ownMember(values, key)?.trim() ?? "";
}

/** The canonical spelling of the value or of the default; `undefined` if the value is not accepted. */
export function acceptedChoice(start: StartRequest, key: string): string | undefined {
  const spec = findEnum(start, key);
  const value = trimmedValue(start, key);
  if (!spec) return undefined;
  return value === "" ? spec.default : (canonicalSpelling(spec, value) ?? spec.otherwise);
}

/** A value that is not accepted is returned unchanged. */
export function chosenValue(start: StartRequest, key: string): string {
  return acceptedChoice(start, key) ?? trimmedValue(start, key);
}

/** In report order. */
export function choiceKeys({ entrypoint }: StartRequest): string[] {
  const isRealtime = entrypoint !== "rest";
  return [
    ...(isRealtime ? ["SVC_REALTIME_API", "SVC_REALTIME_API_PROTOCOL"] : []),
    "SVC_HTTP_FRAMEWORK",
    "SVC_DATABASE_DRIVER",
    "SVC_KEYVALUESTORAGE_DRIVER",
    "SVC_MESSAGE_MEDIATOR_ADAPTER",
    ...(isRealtime ? ["SVC_REALTIME_API_DATABASE_DRIVER"] : []),
    ...(entrypoint === "websocket" ? ["SVC_WEBSOCKET_SOCKETIO_ADAPTER"] : []),
  ];
}

export function adapterKey(start: StartRequest): string | undefined {
  if (start.entrypoint !== "websocket") return undefined;
  const adapter = chosenValue(start, "SVC_WEBSOCKET_SOCKETIO_ADAPTER");
  if (adapter === "redis-streams") return redisUrlKey(start);
  const key = "SVC_WEBSOCKET_CLUSTER_WORKERS";
  return adapter === "cluster" && isSet(start, key) ? key : undefined;
}

export function redisUrlKey(start: StartRequest): "SVC_WEBSOCKET_REDIS_URL" | "SVC_REDIS_URL" | undefined {
  return (["SVC_WEBSOCKET_REDIS_URL", "SVC_REDIS_URL"] as const).find((key) => isSet(start, key));
}

function isSet(start: StartRequest, key: string): boolean {
  return trimmedValue(start, key) !== "" && specOf(start.contract, key) !== undefined;
}

/**
 * Keys with aliases are drivers, which the backend accepts in any case. Other values must match exactly, so `derby` and
 * `YES` fail early.
 */
function canonicalSpelling(spec: EnumSpec, value: string): string | undefined {
  if (spec.values.includes(value) || !spec.aliases) return spec.values.find((one) => one === value);
  const lower = value.toLowerCase();
  const named = Object.hasOwn(spec.aliases, lower) ? spec.aliases[lower] : undefined;
  return named ?? spec.values.find((one) => one.toLowerCase() === lower);
}

/** The file next to the env files that lists the drivers for which a backend has an adapter. */
export const DRIVERS_FILE = "svcm.startup.json";

export function parseDriversFile(document: unknown): CarriedDrivers | readonly Issue[] {
  const findings = fileFindings(document);
  if (findings.length === 0) return (document as { readonly drivers: CarriedDrivers }).drivers;
  return findings.map((finding) => toIssue({ code: "STARTUP_DRIVERS_INVALID", severity: "error", ...finding }));
}

function fileFindings(document: unknown): Finding[] {
  if (!isRecord(document)) return [{ message: 'expected { "drivers": { KEY: [value, ...] } }' }];
  const unknown = Object.keys(document).filter((member) => member !== "drivers");
  return [
    ...unknown.map((member) => ({ path: [member], ...withAccepted(`"${member}" is not a known member`, ["drivers"]) })),
    ...driverFindings(document["drivers"]),
  ];
}

export function driverFindings(drivers: unknown): Finding[] {
  if (!isRecord(drivers)) return [{ path: ["drivers"], message: "drivers: expected { KEY: [value, ...] }" }];
  return Object.entries(drivers).flatMap(([key, values]): Finding[] => {
    const path = ["drivers", key];
    if (!startupKeys.some((one) => one === key))
      return [{ path, ...withAccepted(`drivers: "${key}" is not a startup key`, startupKeys) }];
    return isFilledList(values) ? [] : [{ path, message: `drivers.${key}: expected a list of at least one value` }];
  });
}

function isFilledList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string" && one !== "");
}

/** An official process entrypoint of a backend. */
export type Entrypoint = (typeof entrypoints)[number];

/** Values as in `process.env` or an env file. */
export type EnvValues = Readonly<Record<string, string | undefined>>;

/** The keys that determine what an entrypoint starts with. */
const startupKeys = [
  "SVC_HTTP_FRAMEWORK",
  "SVC_DATABASE_DRIVER",
  "SVC_KEYVALUESTORAGE_DRIVER",
  "SVC_MESSAGE_MEDIATOR_ADAPTER",
  "SVC_REALTIME_API_DATABASE_DRIVER",
  "SVC_WEBSOCKET_SOCKETIO_ADAPTER",
] as const;

/** A key that selects a framework, a driver or an adapter. */
export type StartupKey = (typeof startupKeys)[number];

/**
 * By key, the values for which a backend has an adapter, in their canonical spelling. An absent key permits every value
 * of the runtime contract.
 */
export type CarriedDrivers = Readonly<Partial<Record<StartupKey, readonly string[]>>>;

/**
 * The settings of a start, in their canonical spelling. The types list the values of the packaged runtime contract. If
 * your own contract has other values, read them as `string`.
 */
export interface StartupPlan {
  /** The entrypoint that may start. */
  readonly entrypoint: Entrypoint;
  /** From `SVC_HTTP_FRAMEWORK`; `express` by default. */
  readonly httpFramework: PackagedValues["SVC_HTTP_FRAMEWORK"];
  /** Of the main database, from `SVC_DATABASE_DRIVER`; `InMemory` by default. */
  readonly databaseDriver: PackagedValues["SVC_DATABASE_DRIVER"];
  /** From `SVC_KEYVALUESTORAGE_DRIVER`; `redis` by default. */
  readonly keyValueDriver: PackagedValues["SVC_KEYVALUESTORAGE_DRIVER"];
  /** From `SVC_MESSAGE_MEDIATOR_ADAPTER`; `inmemory` by default. */
  readonly messageMediator: PackagedValues["SVC_MESSAGE_MEDIATOR_ADAPTER"];
  /** Only for the entrypoints `websocket` and `grpc`. */
  readonly realtime?: RealtimePlan;
}

/** The part of the plan for realtime entrypoints. */
export interface RealtimePlan {
  /** The protocol that the entrypoint serves; the same word as the entrypoint. */
  readonly protocol: "websocket" | "grpc";
  /** Of the realtime API's own data, from `SVC_REALTIME_API_DATABASE_DRIVER`; `Mongo` by default. */
  readonly databaseDriver: PackagedValues["SVC_REALTIME_API_DATABASE_DRIVER"];
  /** Only for the entrypoint `websocket`. */
  readonly websocket?: WebSocketPlan;
}

/** The connection to the clients of other WebSocket processes. */
export interface WebSocketPlan {
  /** From `SVC_WEBSOCKET_SOCKETIO_ADAPTER`; `memory`, for a single process, if that is empty. */
  readonly adapter: "memory" | Exclude<PackagedValues["SVC_WEBSOCKET_SOCKETIO_ADAPTER"], "">;
  /** Worker processes, from `SVC_WEBSOCKET_CLUSTER_WORKERS`; 1 unless the adapter is `cluster`. */
  readonly workers: number;
  /** Only for `redis-streams`. Prints itself as `[REDACTED]`, because the fallback may carry credentials. */
  readonly redisUrl?: Secret;
  /** The key that the URL came from. */
  readonly redisUrlKey?: "SVC_WEBSOCKET_REDIS_URL" | "SVC_REDIS_URL";
}
