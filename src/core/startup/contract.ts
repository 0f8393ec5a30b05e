/**
 * The startup contract: decides if an entrypoint may start with the values of an environment. It has no side effects,
 * so any backend can check itself.
 * @see the specification, "Startup behaviour", "Guardrails" and "Runtime keys"
 */
import type { Issue } from "../api/issue.ts";
import type { PackagedValues } from "../facts/packaged.generated.ts";
import type { RuntimeContract } from "../facts/schema.ts";
import { findingsOf, toIssue } from "../findings/rule.ts";
import { maskCredentials, Secret } from "../secrets/redact.ts";
import type { CarriedDrivers, Entrypoint, EnvValues, RealtimePlan, StartupPlan, WebSocketPlan } from "./plan.ts";
import { adapterKey, choiceOf, choicesOf, givenValue, redisUrlKey, type Start } from "./read.ts";
import { stages } from "./rules.ts";

export interface StartupContext {
  /** Default of the cluster adapter's worker count, at least 1. */
  readonly cpuCores: number;
  /** True if the process has an IndexedDB client factory. Servers do not. Default false. */
  readonly hasIndexedDbClient?: boolean;
  /** By key, the values for which the backend has an adapter; by default, every value of the runtime contract. */
  readonly drivers?: CarriedDrivers;
}

/** A plan, or every reason why the entrypoint may not start. */
export type StartupDecision =
  | { readonly mayStart: true; readonly plan: StartupPlan; readonly issues: readonly [] }
  | { readonly mayStart: false; readonly issues: readonly Issue[] };

/** Never throws; reports every reason. */
export function decideStartup(
  contract: RuntimeContract,
  entrypoint: Entrypoint,
  values: EnvValues,
  { cpuCores, hasIndexedDbClient = false, drivers = {} }: StartupContext,
): StartupDecision {
  const start: Start = { contract, entrypoint, values, drivers, hasIndexedDbClient };
  for (const rules of stages) {
    const issues = Array.from(findingsOf(rules, start), (finding) => toIssue(finding));
    if (issues.length > 0) return { mayStart: false, issues: inOrder(issues, start).map(withoutCredentials) };
  }
  return { mayStart: true, plan: planOf(start, cpuCores), issues: [] };
}

function inOrder(issues: readonly Issue[], start: Start): Issue[] {
  const keys = choicesOf(start);
  const rank = ({ path: [key] }: Issue): number => {
    const index = keys.indexOf(String(key));
    return index === -1 ? keys.length : index;
  };
  return issues.toSorted((a, b) => rank(a) - rank(b));
}

function withoutCredentials(issue: Issue): Issue {
  return { ...issue, message: maskCredentials(issue.message) };
}

function planOf(start: Start, cpuCores: number): StartupPlan {
  const { entrypoint } = start;
  return {
    entrypoint,
    httpFramework: packaged(start, "SVC_HTTP_FRAMEWORK"),
    databaseDriver: packaged(start, "SVC_DATABASE_DRIVER"),
    keyValueDriver: packaged(start, "SVC_KEYVALUESTORAGE_DRIVER"),
    messageMediator: packaged(start, "SVC_MESSAGE_MEDIATOR_ADAPTER"),
    ...(entrypoint !== "rest" && { realtime: realtimePlan(start, entrypoint, cpuCores) }),
  };
}

function realtimePlan(start: Start, protocol: RealtimePlan["protocol"], cpuCores: number): RealtimePlan {
  const databaseDriver = packaged(start, "SVC_REALTIME_API_DATABASE_DRIVER");
  return { protocol, databaseDriver, ...(protocol === "websocket" && { websocket: webSocketPlan(start, cpuCores) }) };
}

function webSocketPlan(start: Start, cpuCores: number): WebSocketPlan {
  const adapter = packaged(start, "SVC_WEBSOCKET_SOCKETIO_ADAPTER") || "memory";
  const key = redisUrlKey(start);
  if (adapter === "redis-streams" && key !== undefined)
    return { adapter, workers: 1, redisUrl: new Secret(givenValue(start, key)), redisUrlKey: key };
  if (adapter !== "cluster") return { adapter, workers: 1 };
  const workers = adapterKey(start);
  return { adapter, workers: workers === undefined ? cpuCores : Number(givenValue(start, workers)) };
}

/** The type lists the packaged vocabulary; a repository's own contract may have other values. */
function packaged<Key extends keyof PackagedValues>(start: Start, key: Key): PackagedValues[Key] {
  return choiceOf(start, key) as PackagedValues[Key];
}
