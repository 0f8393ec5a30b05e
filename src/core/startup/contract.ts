/**
 * The startup contract: decides if an entrypoint may start with the values of an environment. It has no side effects,
 * so any backend can check itself.
 * @see the specification, "Startup behaviour", "Guardrails" and "Runtime keys"
 */
import type { Issue } from "../api/issue.ts";
import type { PackagedValues } from "../project/facts/packaged.generated.ts";
import type { RuntimeContract } from "../api/facts.ts";
import { findingsOf, toIssue, acceptedText, withAccepted, type Finding, type Rule } from "../findings/rule.ts";
import { maskCredentials, Secret } from "../secrets/redact.ts";
import {
  type CarriedDrivers,
  type Entrypoint,
  type EnvValues,
  type RealtimePlan,
  type StartRequest,
  type StartupPlan,
  type WebSocketPlan,
  acceptedChoice,
  adapterKey,
  choiceKeys,
  chosenValue,
  driverFindings,
  findEnum,
  redisUrlKey,
  trimmedValue,
} from "./read.ts";
import { entrypoints } from "../api/names.ts";
import { specOf, acceptedValues } from "../env/runtime-keys.ts";
import { valueIssue } from "../env/value-rules.ts";

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

type StartupRule = Rule<StartRequest>;

const valueUnsupported: StartupRule = {
  code: "STARTUP_VALUE_UNSUPPORTED",
  severity: "error",
  *check(start) {
    for (const key of choiceKeys(start)) {
      const spec = findEnum(start, key);
      if (!spec || acceptedChoice(start, key) !== undefined) continue;
      const message = valueIssue(key, spec, trimmedValue(start, key))?.message ?? `${key} is not supported`;
      yield { path: [key], message, accepted: acceptedValues(spec) };
    }
    const dependentKey = adapterKey(start);
    const spec = dependentKey === undefined ? undefined : specOf(start.contract, dependentKey);
    if (dependentKey === undefined || !spec || !valueIssue(dependentKey, spec, trimmedValue(start, dependentKey)))
      return;
    yield { path: [dependentKey], ...withAccepted(`${dependentKey}: the value is not accepted`, acceptedValues(spec)) };
  },
};

const driverUnavailable: StartupRule = {
  code: "STARTUP_DRIVER_NOT_CARRIED",
  severity: "error",
  *check(start) {
    for (const key of choiceKeys(start)) {
      const chosen = acceptedChoice(start, key) ?? "";
      const available = Object.hasOwn(start.drivers, key) ? start.drivers[key] : undefined;
      if (!available || chosen === "" || available.includes(chosen)) continue;
      const which = trimmedValue(start, key) === "" ? `"${chosen}", the default` : `"${chosen}"`;
      yield { path: [key], ...withAccepted(`${key}: this backend has no adapter for ${which}`, available) };
    }
  },
};

const realtimeOff: StartupRule = {
  code: "STARTUP_REALTIME_OFF",
  severity: "error",
  check: (start) => (start.entrypoint === "rest" ? [] : requireChoice(start, "SVC_REALTIME_API", "yes")),
};

const protocolMismatch: StartupRule = {
  code: "STARTUP_PROTOCOL_MISMATCH",
  severity: "error",
  check: (start) =>
    start.entrypoint === "rest" ? [] : requireChoice(start, "SVC_REALTIME_API_PROTOCOL", start.entrypoint),
};

const browserDriver: StartupRule = {
  code: "STARTUP_BROWSER_DRIVER",
  severity: "error",
  check(start) {
    if (start.hasIndexedDbClient) return [];
    const keys = choiceKeys(start).filter((key) =>
      findEnum(start, key)?.browserOnly?.includes(chosenValue(start, key)),
    );
    return keys.map((key) => {
      const what = `${chosenValue(start, key)} is a browser driver`;
      return { path: [key], message: `${what}: this server-side process has no client factory for it` };
    });
  },
};

const redisUrlMissing: StartupRule = {
  code: "STARTUP_REDIS_URL_MISSING",
  severity: "error",
  check(start) {
    const needsUrl =
      start.entrypoint === "websocket" && chosenValue(start, "SVC_WEBSOCKET_SOCKETIO_ADAPTER") === "redis-streams";
    if (!needsUrl || redisUrlKey(start) !== undefined) return [];
    const message =
      "the redis-streams adapter needs a Redis URL in SVC_WEBSOCKET_REDIS_URL, or in SVC_REDIS_URL as the fallback";
    return [{ path: ["SVC_WEBSOCKET_REDIS_URL"], message }];
  },
};

const entrypointUnknown: StartupRule = {
  code: "STARTUP_ENTRYPOINT_UNKNOWN",
  severity: "error",
  check({ entrypoint }) {
    if (entrypoints.some((one) => one === entrypoint)) return [];
    return [withAccepted(`unknown entrypoint ${JSON.stringify(entrypoint)}`, entrypoints)];
  },
};

const driversInvalid: StartupRule = {
  code: "STARTUP_DRIVERS_INVALID",
  severity: "error",
  check: ({ drivers }) => driverFindings(drivers),
};

const keysUndeclared: StartupRule = {
  code: "STARTUP_KEYS_UNDECLARED",
  severity: "error",
  check(start) {
    const keys = choiceKeys(start).filter((key) => !findEnum(start, key));
    if (keys.length === 0) return [];
    const what = `the runtime contract does not declare ${keys.join(", ")}`;
    return [{ path: ["keys"], message: acceptedText(what, "each of them with kind enum"), accepted: keys }];
  },
};

function requireChoice(start: StartRequest, key: string, value: string): Finding[] {
  const choice = chosenValue(start, key);
  if (choice === value) return [];
  const message = `the ${start.entrypoint} entrypoint needs ${key}=${value}; it is "${choice}"`;
  return [{ path: [key], message, accepted: [value] }];
}

/** Rules in stages: after a finding in one stage, later stages do not run. */
const stages: readonly (readonly StartupRule[])[] = [
  [entrypointUnknown, driversInvalid],
  [keysUndeclared],
  [valueUnsupported, driverUnavailable, realtimeOff, protocolMismatch, browserDriver, redisUrlMissing],
];
