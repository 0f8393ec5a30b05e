import { listenPorts, isVariable } from "../../pm2-fields.ts";
import { canonicalArguments, canonicalValue } from "../../normalise.ts";
import { parsePort } from "../../../words/numbers.ts";
import type { ProcessRecord } from "../../process-record.ts";
import { recordedSettings } from "../../settings.ts";
import type { Pm2Process } from "./pm2-api.ts";
import { type Scrub, createScrub } from "../../scrub.ts";
import { ignoresState } from "../../../project/state-place.ts";
import { isSecretVariable } from "../../../secrets/redact.ts";
import { scrubMetrics } from "../../list.ts";
import { parseEnviron } from "../../../files/proc.ts";
import { readIfReadable, realPathIfReadable } from "../../../files/system.ts";

const MAX_METRIC_LENGTH = 4000;
const MAX_METRICS = 50;

/** An own `ignore_watch` takes the place of PM2's default, which ignores folders with a dot. */
function watchesDotFolders({ watch, ignore_watch: ignored }: Readonly<Record<string, unknown>>): boolean {
  if (watch === undefined || watch === false || watch === "false" || !ignored) return false;
  return !ignoresState([ignored].flat().map(String));
}

function processRecord(listed: Pm2Process, digest: (value: string) => string): ProcessRecord {
  const env = listed.pm2_env;
  const status = stringOrNull(env["status"]) ?? "unknown";
  const environment = environmentOf(listed);
  const ports = listenPorts(environment);
  return {
    pmId: listed.pm_id,
    name: String(listed.name),
    uniqueId: stringOrNull(env["unique_id"]),
    pid: positive(listed.pid),
    namespace: stringOrNull(env["namespace"]) ?? "default",
    status,
    restartCount: numberOrNull(env["restart_time"]) ?? 0,
    unstableRestarts: numberOrNull(env["unstable_restarts"]) ?? 0,
    startedAt: status === "online" ? numberOrNull(env["pm_uptime"]) : null,
    lastStartAt: numberOrNull(env["pm_uptime"]),
    createdAt: numberOrNull(env["created_at"]),
    script: stringOrNull(env["pm_exec_path"]),
    cwd: stringOrNull(env["pm_cwd"]),
    interpreter: stringOrNull(env["exec_interpreter"]),
    execMode: execMode(env["exec_mode"]),
    instances: numberOrNull(env["instances"]),
    watching: env["watch"] !== undefined && env["watch"] !== false && env["watch"] !== "false",
    ...(watchesDotFolders(env) && { watchesDotFolders: true }),
    nodeVersion: stringOrNull(env["node_version"]),
    version: stringOrNull(env["version"]),
    // PM2 also writes 0 if a signal ended the process.
    exitCode: numberOrNull(env["exit_code"]) || null,
    ...(isStopCode(env) && { isStopCode: true }),
    cronRestart: stringOrNull(env["cron_restart"]),
    ...readUsage(listed),
    ...readMetrics(env["axm_monitor"]),
    versioning: readVersioning(env["versioning"]),
    httpPort: parsePort(environment["SVC_HTTP_PORT"]),
    ...(ports.length > 0 && { listenPorts: ports }),
    port: parsePort(environment["PORT"]),
    ...readLogFiles(listed),
    declaration: {
      argsDigest: digest(canonicalArguments(env["args"])),
      interpreterArgsDigest: digest(canonicalArguments(env["node_args"])),
      environment: Object.fromEntries(
        Object.entries(startEnvironment(listed)).map(([key, value]) => [key, digest(canonicalValue(value))]),
      ),
      settings: recordedSettings({ ...env, ...defaultLogs(listed) }, digest),
    },
  };
}

/** As PM2 compares them. */
function isStopCode({ stop_exit_codes: codes, exit_code: code }: Readonly<Record<string, unknown>>): boolean {
  return [codes].flat().some((one) => Number.parseInt(String(one), 10) === code);
}

/** PM2 puts default logs into its home as it is written, which may be a link. */
function defaultLogs({ name, pm_id: pmId, pm2_env: env }: Pm2Process): Readonly<Record<string, unknown>> {
  const kinds = { pm_err_log_path: "error", pm_out_log_path: "out" };
  const logs = Object.entries(kinds).flatMap(([field, kind]): [string, string][] => {
    const path = env[field];
    if (typeof path !== "string") return [];
    const at = path.lastIndexOf("/logs/");
    const stem = `${String(name).replaceAll(/[^a-zA-Z0-9\\.-]/g, "-")}-${kind}`;
    const isDefault = [`${stem}.log`, `${stem}-${pmId}.log`].includes(path.slice(at + "/logs/".length));
    return at > 0 && isDefault ? [[field, realPathIfReadable(path.slice(0, at)) + path.slice(at)]] : [];
  });
  return Object.fromEntries(logs);
}

function readLogFiles({ name, pm_id: pmId, pm2_env: env }: Pm2Process): Pick<ProcessRecord, "logFiles"> {
  if (env["disable_logs"] === true) return { logFiles: { error: null, out: null } };
  const paths = [env["pm_err_log_path"], env["pm_out_log_path"]];
  const isDefault = (path: unknown, kind: string): boolean =>
    [`-${pmId}`, ""].some((end) => String(path).endsWith(`/logs/${String(name)}-${kind}${end}.log`));
  if (isDefault(paths[0], "error") && isDefault(paths[1], "out")) return {};
  const [error = null, out = null] = paths.map((path) =>
    typeof path === "string" && path.startsWith("/") && path !== "/dev/null" ? path : null,
  );
  return { logFiles: { error, out } };
}

/**
 * The variables that the process was started with: as the system shows them, else as the root of PM2's record has them.
 * A declared variable with the name of a field of PM2 has overwritten that field; only `env` still has the variable.
 */
function startEnvironment({ pid, pm2_env: record }: Pm2Process): Readonly<Record<string, unknown>> {
  const given = startedWith(pid, record["unique_id"]) ?? record;
  const declared = fieldsOf(record["env"]);
  const variables = Object.keys(given).filter((key) =>
    isVariable(key) ? key in record && typeof record[key] !== "object" : Object.hasOwn(declared, key),
  );
  return Object.fromEntries(variables.map((key) => [key, (SHIMMED.has(key) ? record : given)[key]]));
}

/** A shim, such as that of pyenv, changes these before it becomes the program. */
const SHIMMED: ReadonlySet<string> = new Set(["PATH", "PWD"]);

/** At the root of a record, PM2 mixes variables with its own fields; only the last declaration is also under `env`. */
export function environmentOf({ pm2_env }: Pm2Process): Readonly<Record<string, unknown>> {
  const atRoot = Object.entries(pm2_env).filter(([key, value]) => typeof value !== "object" && isVariable(key));
  return { ...fieldsOf(pm2_env["env"]), ...Object.fromEntries(atRoot) };
}

/** PM2 5 records it at each start, PM2 7 only on demand, and PM2 6 never. */
function readVersioning(value: unknown): ProcessRecord["versioning"] {
  const { revision, unstaged } = fieldsOf(value);
  if (typeof revision !== "string" || !/^[0-9a-f]{40,64}$/.test(revision)) return null;
  return { revision, isDirty: unstaged !== false };
}

/** PM2 reports zeros for a process that is not running, and for each process while one of them has no pid. */
function readUsage({ pid, monit }: Pm2Process): Pick<ProcessRecord, "cpuPercent" | "memoryBytes"> {
  const { cpu, memory } = positive(pid) === null ? {} : fieldsOf(monit);
  const memoryBytes = positive(memory);
  return { cpuPercent: memoryBytes === null ? null : numberOrNull(cpu), memoryBytes };
}

function readMetrics(monitor: unknown): Pick<ProcessRecord, "customMetrics" | "customMetricUnits"> {
  const metrics: [string, string | number][] = [];
  const units: [string, string][] = [];
  for (const [longName, metric] of Object.entries(fieldsOf(monitor)).slice(0, MAX_METRICS)) {
    const { value, unit } = fieldsOf(metric);
    const text = typeof value === "string" ? value.slice(0, MAX_METRIC_LENGTH) : numberOrNull(value);
    if (text === null) continue;
    const name = longName.slice(0, MAX_METRIC_LENGTH);
    metrics.push([name, text]);
    const unitText = stringOrNull(unit);
    if (unitText !== null) units.push([name, unitText.slice(0, MAX_METRIC_LENGTH)]);
  }
  return { customMetrics: Object.fromEntries(metrics), customMetricUnits: Object.fromEntries(units) };
}

function execMode(mode: unknown): ProcessRecord["execMode"] {
  if (mode === "fork_mode") return "fork";
  return mode === "cluster_mode" ? "cluster" : null;
}

function positive(value: unknown): number | null {
  return typeof value === "number" && value > 0 ? value : null;
}

function numberOrNull(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function stringOrNull(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** The only way for a record to leave the worker. */
export function publishRecords(
  processes: readonly Pm2Process[],
  scrub: Scrub,
  digest: (value: string) => string,
): ProcessRecord[] {
  return processes.map((listed) => scrubMetrics(processRecord(listed, digest), scrub));
}

export function scrubForEnvironments(processes: readonly Pm2Process[]): Scrub {
  let scrub: Scrub | undefined;
  return (text) => (scrub ??= createScrub(environmentSecrets(processes)))(text);
}

/** The result must not leave the worker. */
export function environmentSecrets(processes: readonly Pm2Process[]): string[] {
  return processes.flatMap((listed) =>
    Object.entries(environmentOf(listed)).flatMap(([name, value]) =>
      typeof value === "string" && isSecretVariable(name, value) ? [value] : [],
    ),
  );
}

/**
 * Returns what the system gave the process at its start: its variables, or in cluster mode the record that PM2 hands over as
 * one variable. `undefined` if it cannot be read, or if the pid now belongs to another process.
 * @see CONTRACT section 13, "values"
 */
function startedWith(pid: number | undefined, uniqueId: unknown): Readonly<Record<string, unknown>> | undefined {
  if (pid === undefined || pid <= 0 || typeof uniqueId !== "string") return undefined;
  const variables = parseEnviron(readIfReadable(`/proc/${pid}/environ`));
  const handedOver = variables["pm2_env"];
  const given = handedOver === undefined ? variables : parseRecord(handedOver);
  return given?.["unique_id"] === uniqueId ? given : undefined;
}

function parseRecord(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
