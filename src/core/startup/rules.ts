import { entrypoints } from "../api/names.ts";
import { specOf, acceptedValues } from "../env/runtime-keys.ts";
import { valueIssue } from "../env/value-rules.ts";
import { acceptedText, withAccepted, type Finding, type Rule } from "../findings/rule.ts";
import {
  driverFindings,
  acceptedChoice,
  adapterKey,
  chosenValue,
  choiceKeys,
  findEnum,
  trimmedValue,
  redisUrlKey,
  type StartRequest,
} from "./read.ts";

type StartupRule = Rule<StartRequest>;

const valueUnsupported: StartupRule = {
  code: "STARTUP_VALUE_UNSUPPORTED",
  severity: "error",
  summary: "The entrypoint cannot start with the value of a key.",
  remedy: "Write one of the values that the message lists with `svcm env set KEY=VALUE`.",
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
  summary: "The backend has no adapter for a value that the runtime contract accepts.",
  explanation:
    "A backend lists the values that it has adapters for in `svcm.startup.json` beside its env files, and passes the same list to `requireStartup`.",
  remedy: "Choose one of the accepted values, or write the adapter and add its value to the list.",
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
  summary: "A realtime entrypoint cannot start because `SVC_REALTIME_API` is not `yes`.",
  remedy: "Run `svcm env set SVC_REALTIME_API=yes`, or do not start this entrypoint.",
  check: (start) => (start.entrypoint === "rest" ? [] : requireChoice(start, "SVC_REALTIME_API", "yes")),
};

const protocolMismatch: StartupRule = {
  code: "STARTUP_PROTOCOL_MISMATCH",
  severity: "error",
  summary: "`SVC_REALTIME_API_PROTOCOL` names the other realtime entrypoint.",
  remedy: "Set it to the protocol of the entrypoint that you start: `websocket` or `grpc`.",
  check: (start) =>
    start.entrypoint === "rest" ? [] : requireChoice(start, "SVC_REALTIME_API_PROTOCOL", start.entrypoint),
};

const browserDriver: StartupRule = {
  code: "STARTUP_BROWSER_DRIVER",
  severity: "error",
  summary: "A driver that works only in browsers is configured for a process on a server.",
  remedy: "Choose a server-side driver: `svcm startup check` lists the accepted ones.",
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
  summary: "The redis-streams adapter has no Redis URL.",
  remedy: "Set SVC_WEBSOCKET_REDIS_URL, or choose another SVC_WEBSOCKET_SOCKETIO_ADAPTER.",
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
  summary: "A program passed an unknown entrypoint to `svcm/startup`.",
  remedy: "Pass `rest`, `websocket` or `grpc`.",
  check({ entrypoint }) {
    if (entrypoints.some((one) => one === entrypoint)) return [];
    return [withAccepted(`unknown entrypoint ${JSON.stringify(entrypoint)}`, entrypoints)];
  },
};

const driversInvalid: StartupRule = {
  code: "STARTUP_DRIVERS_INVALID",
  severity: "error",
  summary: "`svcm.startup.json`, or the option `drivers`, is not a list of values by startup key.",
  remedy: 'Write `{ "drivers": { "SVC_DATABASE_DRIVER": ["PostgreSQL", "SQLite"] } }`, with your keys and values.',
  check: ({ drivers }) => driverFindings(drivers),
};

const keysUndeclared: StartupRule = {
  code: "STARTUP_KEYS_UNDECLARED",
  severity: "error",
  summary: "The repository's own runtime contract does not declare the keys that the startup contract reads.",
  remedy:
    "Declare each key that the message names in `config/runtime-contract.yaml`, with `kind: enum`, or leave the startup check out of this repository.",
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
export const stages: readonly (readonly StartupRule[])[] = [
  [entrypointUnknown, driversInvalid],
  [keysUndeclared],
  [valueUnsupported, driverUnavailable, realtimeOff, protocolMismatch, browserDriver, redisUrlMissing],
];
