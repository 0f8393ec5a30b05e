import { ownMember, isRecord } from "../words/record.ts";
import { specOf } from "../env/runtime-keys.ts";
import type { EnumSpec, RuntimeContract } from "../api/facts.ts";
import { type Entrypoint, type EnvValues, startupKeys, type CarriedDrivers } from "./plan.ts";
import type { Issue } from "../api/issue.ts";
import { withAccepted, type Finding, toIssue } from "../findings/rule.ts";

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
