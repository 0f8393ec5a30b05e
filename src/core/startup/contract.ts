/**
 * The startup contract: whether an entrypoint may start under an environment's values, and with what.
 * Pure, so that any backend can hold itself to it.
 *
 * @see the specification, "Startup behaviour", "Guardrails" and "Runtime keys"
 */
import type { entrypoints } from "../contract/names.ts";
import type { Issue } from "../contract/issue.ts";
import { maskCredentials, Secret } from "../secrets/redact.ts";
import { specOf } from "../env/tiers.ts";
import { acceptedValues, listed, valueProblem } from "../env/values.ts";
import type { EnumSpec, RuntimeContract } from "../facts/schema.ts";

export type Entrypoint = (typeof entrypoints)[number];

/** Values as `process.env` or an env file holds them. */
export type EnvValues = Readonly<Record<string, string | undefined>>;

export interface StartupFacts {
  /** Default of the cluster adapter's worker count, at least 1. */
  readonly cpuCores: number;
  /** Whether the process has an IndexedDB client factory wired in; a server has none. Default false. */
  readonly hasIndexedDbClient?: boolean;
}

/** What an entrypoint starts with, every value in its canonical spelling. */
export interface StartupPlan {
  readonly entrypoint: Entrypoint;
  readonly httpFramework: string;
  readonly databaseDriver: string;
  readonly keyValueDriver: string;
  readonly messageMediator: string;
  /** Only for the realtime entrypoints. */
  readonly realtime?: RealtimePlan;
}

export interface RealtimePlan {
  readonly protocol: "websocket" | "grpc";
  readonly databaseDriver: string;
  /** Only for the WebSocket entrypoint. */
  readonly websocket?: WebSocketPlan;
}

export interface WebSocketPlan {
  readonly adapter: "memory" | "cluster" | "redis-streams";
  /** Worker processes; 1 unless the adapter is `cluster`. */
  readonly workers: number;
  /** Only for `redis-streams`. Prints itself as `[REDACTED]`: the fallback may carry credentials. */
  readonly redisUrl?: Secret;
  /** The key that the URL came from. */
  readonly redisUrlKey?: "SVC_WEBSOCKET_REDIS_URL" | "SVC_REDIS_URL";
}

/** The answer to "may it start?": a plan, or every reason against it. */
export type StartupDecision =
  | { readonly mayStart: true; readonly plan: StartupPlan; readonly issues: readonly [] }
  | { readonly mayStart: false; readonly issues: readonly Issue[] };

/** Decides whether `entrypoint` may start under `values`. Never throws; reports every reason at once. */
export function decideStartup(
  contract: RuntimeContract,
  entrypoint: Entrypoint,
  values: EnvValues,
  facts: StartupFacts,
): StartupDecision {
  const read = new Reader(contract, values);
  const isRealtime = entrypoint !== "rest";
  if (isRealtime) guardRealtime(read, entrypoint);
  const plan: StartupPlan = {
    entrypoint,
    httpFramework: read.choice("SVC_HTTP_FRAMEWORK"),
    databaseDriver: serverDriver(read, "SVC_DATABASE_DRIVER", facts),
    keyValueDriver: read.choice("SVC_KEYVALUESTORAGE_DRIVER"),
    messageMediator: read.choice("SVC_MESSAGE_MEDIATOR_ADAPTER"),
    ...(isRealtime && { realtime: realtimePlan(read, entrypoint, facts) }),
  };
  return read.issues.length === 0 ? { mayStart: true, plan, issues: [] } : { mayStart: false, issues: read.issues };
}

/** Guardrail 3: realtime starts only when it is on, and only the protocol's own entrypoint. */
function guardRealtime(read: Reader, entrypoint: "websocket" | "grpc"): void {
  const isOn = read.choice("SVC_REALTIME_API");
  if (isOn !== "yes") {
    read.refuse(
      "STARTUP_REALTIME_OFF",
      "SVC_REALTIME_API",
      `the ${entrypoint} entrypoint needs SVC_REALTIME_API=yes; it is "${isOn}"`,
      ["yes"],
    );
  }
  const protocol = read.choice("SVC_REALTIME_API_PROTOCOL");
  if (protocol !== entrypoint) {
    const message = `the ${entrypoint} entrypoint needs SVC_REALTIME_API_PROTOCOL=${entrypoint}; it is "${protocol}"`;
    read.refuse("STARTUP_PROTOCOL_MISMATCH", "SVC_REALTIME_API_PROTOCOL", message, [entrypoint]);
  }
}

function realtimePlan(read: Reader, protocol: "websocket" | "grpc", facts: StartupFacts): RealtimePlan {
  const databaseDriver = serverDriver(read, "SVC_REALTIME_API_DATABASE_DRIVER", facts);
  return { protocol, databaseDriver, ...(protocol === "websocket" && { websocket: webSocketPlan(read, facts) }) };
}

function webSocketPlan(read: Reader, { cpuCores }: StartupFacts): WebSocketPlan {
  const adapter = read.choice("SVC_WEBSOCKET_SOCKETIO_ADAPTER");
  if (adapter === "cluster") return { adapter, workers: read.integer("SVC_WEBSOCKET_CLUSTER_WORKERS", cpuCores) };
  if (adapter !== "redis-streams") return { adapter: "memory", workers: 1 };
  for (const redisUrlKey of ["SVC_WEBSOCKET_REDIS_URL", "SVC_REDIS_URL"] as const) {
    const url = read.text(redisUrlKey);
    if (url !== "") return { adapter, workers: 1, redisUrl: new Secret(url), redisUrlKey };
  }
  const message =
    "the redis-streams adapter needs a Redis URL in SVC_WEBSOCKET_REDIS_URL, or in SVC_REDIS_URL as the fallback";
  read.refuse("STARTUP_REDIS_URL_MISSING", "SVC_WEBSOCKET_REDIS_URL", message);
  return { adapter, workers: 1 };
}

function serverDriver(read: Reader, key: string, { hasIndexedDbClient = false }: StartupFacts): string {
  const driver = read.choice(key);
  if (read.spec(key)?.browserOnly?.includes(driver) && !hasIndexedDbClient) {
    read.refuse(
      "STARTUP_BROWSER_DRIVER",
      key,
      `${driver} is a browser driver: this server-side process has no client factory for it`,
    );
  }
  return driver;
}

/** Reads values by the contract: default where unset, alias to canonical spelling, and a reason for what is neither. */
class Reader {
  readonly issues: Issue[] = [];
  readonly #contract: RuntimeContract;
  readonly #values: EnvValues;

  constructor(contract: RuntimeContract, values: EnvValues) {
    this.#contract = contract;
    this.#values = values;
  }

  spec(key: string): EnumSpec | undefined {
    const spec = specOf(this.#contract, key);
    return spec?.kind === "enum" ? spec : undefined;
  }

  choice(key: string): string {
    const spec = this.spec(key);
    const given = this.#given(key);
    if (!spec || given === "") return spec?.default ?? given;
    const chosen = canonical(spec, given) ?? spec.otherwise;
    if (chosen !== undefined) return chosen;
    const problem = valueProblem(key, spec, given);
    this.refuse("STARTUP_VALUE_UNSUPPORTED", key, problem?.message ?? `${key} is not supported`, acceptedValues(spec));
    return given;
  }

  integer(key: string, otherwise: number): number {
    const given = this.text(key);
    return given === "" ? otherwise : Number(given);
  }

  /** A value that the contract accepts, or an empty one with the reason reported. The value is not repeated. */
  text(key: string): string {
    const given = this.#given(key);
    const spec = specOf(this.#contract, key);
    if (given === "" || !spec || !valueProblem(key, spec, given)) return given;
    const accepted = acceptedValues(spec);
    this.refuse(
      "STARTUP_VALUE_UNSUPPORTED",
      key,
      `${key}: the value is not accepted; accepted: ${listed(accepted)}`,
      accepted,
    );
    return given;
  }

  refuse(code: string, key: string, message: string, accepted?: readonly string[]): void {
    this.issues.push({
      code,
      severity: "error",
      path: [key],
      message: maskCredentials(message),
      ...(accepted && { accepted }),
    });
  }

  #given(key: string): string {
    return this.#values[key]?.trim() ?? "";
  }
}

/**
 * The canonical spelling of a value. Keys with aliases are drivers, which the backend accepts in any
 * case; the others are taken as they stand, so that `derby` or `YES` fail fast.
 */
function canonical(spec: EnumSpec, given: string): string | undefined {
  if (spec.values.includes(given) || !spec.aliases) return spec.values.find((value) => value === given);
  const lower = given.toLowerCase();
  const named = Object.hasOwn(spec.aliases, lower) ? spec.aliases[lower] : undefined;
  return named ?? spec.values.find((value) => value.toLowerCase() === lower);
}
