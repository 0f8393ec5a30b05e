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
export const stages: readonly (readonly StartupRule[])[] = [
  [entrypointUnknown, driversInvalid],
  [keysUndeclared],
  [valueUnsupported, driverUnavailable, realtimeOff, protocolMismatch, browserDriver, redisUrlMissing],
];
