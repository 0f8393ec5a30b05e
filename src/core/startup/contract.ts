/**
 * The startup contract: decides if an entrypoint may start with the values of an environment. It has no side effects,
 * so any backend can check itself.
 * @see the specification, "Startup behaviour", "Guardrails" and "Runtime keys"
 */
import type { Issue } from "../api/issue.ts";
import type { PackagedValues } from "../project/facts/packaged.generated.ts";
import type { RuntimeContract } from "../api/facts.ts";
import { findingsOf, toIssue } from "../findings/rule.ts";
import { maskCredentials, Secret } from "../secrets/redact.ts";
import type { CarriedDrivers, Entrypoint, EnvValues, RealtimePlan, StartupPlan, WebSocketPlan } from "./plan.ts";
import { adapterKey, chosenValue, choiceKeys, trimmedValue, redisUrlKey, type StartRequest } from "./read.ts";
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
  const start: StartRequest = { contract, entrypoint, values, drivers, hasIndexedDbClient };
  for (const rules of stages) {
    const issues = Array.from(findingsOf(rules, start), (finding) => toIssue(finding));
    if (issues.length > 0)
      return {
        mayStart: false,
        issues: sortByKeyOrder(issues, start).map((issue) => ({ ...issue, message: maskCredentials(issue.message) })),
      };
  }
  return { mayStart: true, plan: buildPlan(start, cpuCores), issues: [] };
}

function sortByKeyOrder(issues: readonly Issue[], start: StartRequest): Issue[] {
  const keys = choiceKeys(start);
  const rank = ({ path: [key] }: Issue): number => {
    const index = keys.indexOf(String(key));
    return index === -1 ? keys.length : index;
  };
  return issues.toSorted((a, b) => rank(a) - rank(b));
}

function buildPlan(start: StartRequest, cpuCores: number): StartupPlan {
  const { entrypoint } = start;
  return {
    entrypoint,
    httpFramework: packagedChoice(start, "SVC_HTTP_FRAMEWORK"),
    databaseDriver: packagedChoice(start, "SVC_DATABASE_DRIVER"),
    keyValueDriver: packagedChoice(start, "SVC_KEYVALUESTORAGE_DRIVER"),
    messageMediator: packagedChoice(start, "SVC_MESSAGE_MEDIATOR_ADAPTER"),
    ...(entrypoint !== "rest" && { realtime: realtimePlan(start, entrypoint, cpuCores) }),
  };
}

function realtimePlan(start: StartRequest, protocol: RealtimePlan["protocol"], cpuCores: number): RealtimePlan {
  const databaseDriver = packagedChoice(start, "SVC_REALTIME_API_DATABASE_DRIVER");
  return { protocol, databaseDriver, ...(protocol === "websocket" && { websocket: webSocketPlan(start, cpuCores) }) };
}

function webSocketPlan(start: StartRequest, cpuCores: number): WebSocketPlan {
  const adapter = packagedChoice(start, "SVC_WEBSOCKET_SOCKETIO_ADAPTER") || "memory";
  const key = redisUrlKey(start);
  if (adapter === "redis-streams" && key !== undefined)
    return { adapter, workers: 1, redisUrl: new Secret(trimmedValue(start, key)), redisUrlKey: key };
  if (adapter !== "cluster") return { adapter, workers: 1 };
  const workers = adapterKey(start);
  return { adapter, workers: workers === undefined ? cpuCores : Number(trimmedValue(start, workers)) };
}

/** The type lists the packaged vocabulary; a repository's own contract may have other values. */
function packagedChoice<Key extends keyof PackagedValues>(start: StartRequest, key: Key): PackagedValues[Key] {
  return chosenValue(start, key) as PackagedValues[Key];
}
