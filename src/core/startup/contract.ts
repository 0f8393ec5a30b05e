/**
 * The startup contract: whether an entrypoint may start under an environment's values, and with what.
 * Pure, so that any backend can hold itself to it.
 *
 * @see the specification, "Startup behaviour", "Guardrails" and "Runtime keys"
 */
import type { Issue } from "../api/issue.ts";
import { entrypoints } from "../api/names.ts";
import { Secret } from "../secrets/redact.ts";
import type { PackagedValues } from "../facts/packaged.generated.ts";
import type { RuntimeContract } from "../facts/schema.ts";
import { carriedIssues } from "./carried.ts";
import type { CarriedDrivers, Entrypoint, EnvValues, RealtimePlan, StartupPlan, WebSocketPlan } from "./plan.ts";
import { Reader } from "./reader.ts";

export interface StartupFacts {
  /** Default of the cluster adapter's worker count, at least 1. */
  readonly cpuCores: number;
  /** Whether the process has an IndexedDB client factory wired in; a server has none. Default false. */
  readonly hasIndexedDbClient?: boolean;
  /** What the backend has an adapter for; without it, every value of the runtime contract. */
  readonly drivers?: CarriedDrivers;
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
  const { drivers = {} } = facts;
  const misuse = [...entrypointIssues(entrypoint), ...carriedIssues(drivers)];
  if (misuse.length > 0) return { mayStart: false, issues: misuse };
  const read = new Reader(contract, values, drivers);
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
  const issues = read.undeclared.length > 0 ? [undeclaredIssue(read.undeclared)] : read.issues;
  return issues.length === 0 ? { mayStart: true, plan, issues: [] } : { mayStart: false, issues };
}

/** A program without types may ask for anything. */
function entrypointIssues(entrypoint: string): Issue[] {
  if (entrypoints.some((one) => one === entrypoint)) return [];
  const message = `unknown entrypoint ${JSON.stringify(entrypoint)}; accepted: ${entrypoints.join(", ")}`;
  return [{ code: "STARTUP_ENTRYPOINT_UNKNOWN", severity: "error", path: [], message, accepted: entrypoints }];
}

/** Without its keys a contract decides nothing, so nothing else is worth reporting. */
function undeclaredIssue(keys: readonly string[]): Issue {
  const message = `the runtime contract does not declare ${keys.join(", ")}; accepted: each of them with kind enum`;
  return { code: "STARTUP_KEYS_UNDECLARED", severity: "error", path: ["keys"], message, accepted: keys };
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
  if (adapter !== "redis-streams") return { adapter: adapter || "memory", workers: 1 };
  for (const redisUrlKey of ["SVC_WEBSOCKET_REDIS_URL", "SVC_REDIS_URL"] as const) {
    const url = read.text(redisUrlKey);
    if (url !== "") return { adapter, workers: 1, redisUrl: new Secret(url), redisUrlKey };
  }
  const message =
    "the redis-streams adapter needs a Redis URL in SVC_WEBSOCKET_REDIS_URL, or in SVC_REDIS_URL as the fallback";
  read.refuse("STARTUP_REDIS_URL_MISSING", "SVC_WEBSOCKET_REDIS_URL", message);
  return { adapter, workers: 1 };
}

function serverDriver<Key extends "SVC_DATABASE_DRIVER" | "SVC_REALTIME_API_DATABASE_DRIVER">(
  read: Reader,
  key: Key,
  { hasIndexedDbClient = false }: StartupFacts,
): PackagedValues[Key] {
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
