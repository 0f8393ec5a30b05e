import type { entrypoints } from "../api/names.ts";
import type { Secret } from "../secrets/redact.ts";
import type { PackagedValues } from "../project/facts/packaged.generated.ts";

/** An official process entrypoint of a backend. */
export type Entrypoint = (typeof entrypoints)[number];

/** Values as in `process.env` or an env file. */
export type EnvValues = Readonly<Record<string, string | undefined>>;

/** The keys that determine what an entrypoint starts with. */
export const startupKeys = [
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
