import { canonicalArguments, canonicalValue } from "../../../pm2/canonical-value.ts";
import { portOf } from "../../../pm2/port.ts";
import type { ProcessRecord } from "../../../pm2/process-record.ts";
import { settingsOf } from "../../../pm2/settings.ts";
import { isVariable } from "./own-fields.ts";
import type { Pm2Process } from "./pm2-api.ts";

const LONGEST_METRIC = 4000;
const MOST_METRICS = 50;

export function processRecord(listed: Pm2Process, digest: (value: string) => string): ProcessRecord {
  const env = listed.pm2_env;
  const status = textOf(env["status"]) ?? "unknown";
  return {
    pmId: listed.pm_id,
    name: String(listed.name),
    uniqueId: textOf(env["unique_id"]),
    pid: positive(listed.pid),
    namespace: textOf(env["namespace"]) ?? "default",
    status,
    restartCount: numberOf(env["restart_time"]) ?? 0,
    unstableRestarts: numberOf(env["unstable_restarts"]) ?? 0,
    startedAt: status === "online" ? numberOf(env["pm_uptime"]) : null,
    lastStartAt: numberOf(env["pm_uptime"]),
    createdAt: numberOf(env["created_at"]),
    script: textOf(env["pm_exec_path"]),
    cwd: textOf(env["pm_cwd"]),
    interpreter: textOf(env["exec_interpreter"]),
    execMode: execMode(env["exec_mode"]),
    instances: numberOf(env["instances"]),
    watching: env["watch"] !== undefined && env["watch"] !== false && env["watch"] !== "false",
    nodeVersion: textOf(env["node_version"]),
    version: textOf(env["version"]),
    // PM2 also writes 0 for an end by a signal.
    exitCode: numberOf(env["exit_code"]) || null,
    cronRestart: textOf(env["cron_restart"]),
    ...measured(listed),
    ...reported(env["axm_monitor"]),
    httpPort: portOf(environmentOf(listed)["SVC_HTTP_PORT"]),
    declaration: {
      argsDigest: digest(canonicalArguments(env["args"])),
      interpreterArgsDigest: digest(canonicalArguments(env["node_args"])),
      environment: digests(environmentOf(listed), digest),
      settings: settingsOf(env, digest),
    },
  };
}

/**
 * PM2 starts a process from the root of its record, where variables are among PM2's own fields. Variables of the last
 * declaration are under `env` too, earlier ones at the root only.
 */
export function environmentOf({ pm2_env }: Pm2Process): Readonly<Record<string, unknown>> {
  const atRoot = Object.entries(pm2_env).filter(([key, value]) => typeof value !== "object" && isVariable(key));
  return { ...objectOf(pm2_env["env"]), ...Object.fromEntries(atRoot) };
}

function digests(environment: Readonly<Record<string, unknown>>, digest: (value: string) => string) {
  return Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, digest(canonicalValue(value))]));
}

/** PM2 reports zeros for a process that does not run. */
function measured({ pid, monit }: Pm2Process): Pick<ProcessRecord, "cpuPercent" | "memoryBytes"> {
  const { cpu, memory } = positive(pid) === null ? {} : objectOf(monit);
  return { cpuPercent: numberOf(cpu), memoryBytes: positive(memory) };
}

function reported(monitor: unknown): Pick<ProcessRecord, "customMetrics" | "customMetricUnits"> {
  const metrics: [string, string | number][] = [];
  const units: [string, string][] = [];
  for (const [longName, metric] of Object.entries(objectOf(monitor)).slice(0, MOST_METRICS)) {
    const { value, unit } = objectOf(metric);
    const shown = typeof value === "string" ? value.slice(0, LONGEST_METRIC) : numberOf(value);
    if (shown === null) continue;
    const name = longName.slice(0, LONGEST_METRIC);
    metrics.push([name, shown]);
    const unitText = textOf(unit);
    if (unitText !== null) units.push([name, unitText.slice(0, LONGEST_METRIC)]);
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

function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
