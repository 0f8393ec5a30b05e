import type { AuditCount } from "../access/ports.ts";
import type { Issue } from "../api/issue.ts";
import type { LogUsageResponse } from "../api/logs.ts";
import type { HostMetrics, MetricsPayload, ProcessMetrics } from "../api/metrics.ts";
import { driftStates } from "../api/names.ts";
import type { Release } from "../api/rollout.ts";
import type { OwnUsage } from "../files/ports.ts";
import type { Releases } from "../rollout/ports.ts";
import { activeContexts } from "./async-context-metrics.ts";
import type { MetricFamily, MetricSample } from "./open-metrics.ts";
import type { Sample, TelemetryCost } from "./telemetry.ts";

export interface FamilyInput {
  readonly version: string;
  /** As `/healthz` reports it. */
  readonly server: string;
  readonly sample: Sample;
  /** `undefined` before the first look at the logs. */
  readonly logs: LogUsageResponse | undefined;
  /** `undefined` before the first look. */
  readonly boot: readonly Issue[] | undefined;
  readonly own: OwnUsage;
  readonly cost: TelemetryCost;
  readonly audit: readonly AuditCount[];
  readonly releases: readonly Release[];
  readonly ended: ReturnType<Releases["counts"]>;
}

/** One sample is always there: without it, the state is unknown. */
function bootFamily(issues: readonly Issue[]): MetricFamily {
  const codes = [...new Set(issues.map(({ code }) => code))];
  const samples = codes.map((code) => ({ labels: { code }, value: issues.filter((one) => one.code === code).length }));
  const help = "Reasons why a reboot would not bring back what runs, by code; without a code, all.";
  return gauges("svcm_boot_findings", help, [{ labels: { code: "" }, value: issues.length }, ...samples]);
}

/** The metrics of `GET /metrics`. Labels never contain environment values or arguments. */
export function metricFamilies(input: FamilyInput): MetricFamily[] {
  const { version, server, sample, own, cost, audit } = input;
  return [
    info("svcm_build", "The running svcm.", { version, server }),
    gauge("svcm_pm2_up", "1 if PM2 could be read, otherwise 0.", sample.kind === "metrics" ? 1 : 0),
    ...hostFamilies(sample.payload.host),
    ...(sample.kind === "metrics" ? pm2Families(sample.payload) : []),
    ...(input.logs === undefined ? [] : logFamilies(input.logs)),
    ...(input.boot === undefined ? [] : [bootFamily(input.boot)]),
    {
      name: "svcm_audit_records",
      type: "counter",
      help: "Audit records that this svcm wrote.",
      samples: audit.map(({ action, outcome, count }) => ({ labels: { action, outcome }, value: count })),
    },
    ...releaseFamilies(input),
    counter("svcm_self_cpu_seconds", "CPU time that svcm itself used.", own.cpuSeconds),
    gauge("svcm_self_resident_memory_bytes", "Resident memory of svcm itself.", own.rssBytes),
    counter("svcm_self_samples", "Measurements of the machine.", cost.samples),
    counter("svcm_self_pm2_list_calls", "Requests to PM2 for its list of processes.", cost.listCalls),
  ];
}

/** `revision` is the commit of the release; for a rollback, the commit of the release that it undid. */
function releaseFamilies({ releases: [newest], ended }: FamilyInput): MetricFamily[] {
  return [
    {
      name: "svcm_release",
      type: "info",
      help: "The newest apply or rollback of this repository.",
      samples: newest === undefined ? [] : [{ labels: releaseLabels(newest), value: 1 }],
    },
    {
      name: "svcm_apply",
      type: "counter",
      help: "Applies and rollbacks that this svcm ran, by outcome.",
      samples: [...ended].map(([outcome, value]) => ({ labels: { outcome }, value })),
    },
  ];
}

function releaseLabels({ id, environment, git, outcome, undoes = "" }: Release): Readonly<Record<string, string>> {
  return { release: id, environment, revision: git?.commit ?? "", outcome, undoes };
}

function hostFamilies({ cpu, memory, disk }: HostMetrics): MetricFamily[] {
  const { one, five, fifteen } = cpu.loadAvg;
  return [
    gauge("svcm_host_cpu_cores", "Cores that are online.", cpu.coreCount),
    gauge("svcm_host_cpu_usage_ratio", "Share of all cores that was busy.", ratio(cpu.usagePercent)),
    gauges(
      "svcm_host_cpu_core_usage_ratio",
      "Share of a core that was busy.",
      cpu.perCore.map((percent, core) => ({ labels: { core: String(core) }, value: ratio(percent) })),
    ),
    gauges("svcm_host_load_average", "Processes that run or want to, on average.", [
      { labels: { period: "1m" }, value: one },
      { labels: { period: "5m" }, value: five },
      { labels: { period: "15m" }, value: fifteen },
    ]),
    gauge("svcm_host_memory_total_bytes", "Memory of the machine.", memory.totalBytes),
    gauge(
      "svcm_host_memory_available_bytes",
      "Memory that programs can still get without swapping.",
      memory.availableBytes,
    ),
    gauge("svcm_host_memory_free_bytes", "Memory without any use.", memory.freeBytes),
    gauge("svcm_host_memory_used_bytes", "Total minus available.", memory.usedBytes),
    ...DISK_METRICS.map(([name, help, valueOf]) =>
      gauges(
        `svcm_host_disk_${name}`,
        help,
        disk.map((entry) => ({ labels: { path: entry.path }, value: valueOf(entry) })),
      ),
    ),
  ];
}

const DISK_METRICS: readonly (readonly [string, string, (entry: HostMetrics["disk"][number]) => number | null])[] = [
  ["readable", "1 if the file system could be read, otherwise 0.", (entry) => ("code" in entry ? 0 : 1)],
  ["total_bytes", "Size of the file system.", (entry) => numberIn(entry, "totalBytes")],
  ["free_bytes", "Free space of the file system.", (entry) => numberIn(entry, "freeBytes")],
  ["available_bytes", "Free space for users without privileges.", (entry) => numberIn(entry, "availableBytes")],
];

function numberIn(entry: object, member: string): number | null {
  const value = (entry as Readonly<Record<string, unknown>>)[member];
  return typeof value === "number" ? value : null;
}

function pm2Families({ environment, ecosystem, summary, processes }: MetricsPayload): MetricFamily[] {
  const labels = { environment };
  const isReadable = ecosystem.code === undefined;
  const ifReadable = (value: number): number | null => (isReadable ? value : null);
  return [
    gauges(
      "svcm_processes",
      "Processes that PM2 knows, by status.",
      Object.entries(summary.statusCounts).map(([status, value]) => ({ labels: { status }, value })),
    ),
    ...processFamilies(processes),
    gauges(
      "svcm_process_state",
      "1 for the state of each process.",
      processes.map(({ name, pmId, state }) => ({ labels: { name, pm_id: String(pmId), state }, value: 1 })),
    ),
    gauges(
      "svcm_process_problem",
      "1 for each process with a problem that its status does not show.",
      processes.flatMap(({ name, pmId, problem }) =>
        problem === null ? [] : [{ labels: { name, pm_id: String(pmId), code: problem.code }, value: 1 }],
      ),
    ),
    gauge("svcm_ecosystem_readable", "1 if the ecosystem file could be read, otherwise 0.", isReadable ? 1 : 0, labels),
    gauge("svcm_ecosystem_expected_processes", "Processes that it declares.", ecosystem.expectedProcessCount, labels),
    gauges(
      "svcm_ecosystem_drift",
      "Differences between what it declares and what PM2 runs.",
      driftStates.map((state) => ({
        labels: { ...labels, state },
        value: ifReadable(ecosystem.drift.filter((entry) => entry.state === state).length),
      })),
    ),
    gauge("svcm_plan_steps", "Steps from what PM2 runs to what it declares.", ecosystem.planSteps, labels),
  ];
}

const UP_STATES: ReadonlySet<ProcessMetrics["state"]> = new Set(["online", "running"]);

const PROCESS_METRICS: readonly (readonly [
  string,
  "gauge" | "counter",
  string,
  (p: ProcessMetrics) => number | null,
])[] = [
  [
    "up",
    "gauge",
    "1 if it runs as it should, otherwise 0; absent for a job that waits and a task that has ended.",
    ({ state }) => (state === "waiting" || state === "ended" ? null : UP_STATES.has(state) ? 1 : 0),
  ],
  ["cpu_usage_ratio", "gauge", "Share of one core.", ({ cpuPercent }) => ratio(cpuPercent)],
  ["resident_memory_bytes", "gauge", "Resident memory.", ({ memoryBytes }) => memoryBytes],
  ["uptime_seconds", "gauge", "Since this run began.", ({ uptimeMs }) => (uptimeMs === null ? null : uptimeMs / 1000)],
  ["restarts", "counter", "Restarts by PM2 itself and on request.", ({ restartCount }) => restartCount],
  ["unstable_restarts", "gauge", "Early ends in a row.", ({ unstableRestarts }) => unstableRestarts],
  ["disk_read_bytes", "counter", "Read from the storage.", ({ diskIo }) => diskIo.readBytes],
  ["disk_written_bytes", "counter", "Written to the storage.", ({ diskIo }) => diskIo.writeBytes],
  [
    "async_context_active",
    "gauge",
    "Async contexts that are active.",
    ({ asyncContext }) => activeContexts(asyncContext),
  ],
];

function processFamilies(processes: readonly ProcessMetrics[]): MetricFamily[] {
  return PROCESS_METRICS.map(([name, type, help, valueOf]) => ({
    name: `svcm_process_${name}`,
    type,
    help,
    samples: processes.map((process) => ({
      labels: { name: process.name, pm_id: String(process.pmId) },
      value: valueOf(process),
    })),
  }));
}

function ratio(percent: number | null): number | null {
  return percent === null ? null : Math.round(percent * 10) / 1000;
}

const HOUR_SECONDS = 3600;

function logFamilies({ logs, disks, deleted }: LogUsageResponse): MetricFamily[] {
  const each = (valueOf: (log: LogUsageResponse["logs"][number]) => number | null): MetricSample[] =>
    logs.map((log) => ({ labels: { path: log.path, app: log.app ?? "" }, value: valueOf(log) }));
  return [
    gauges(
      "svcm_log_bytes",
      "Size of a log of PM2.",
      each(({ bytes }) => bytes),
    ),
    gauges(
      "svcm_log_rotated_bytes",
      "Size of its rotated files.",
      each(({ rotatedBytes }) => rotatedBytes),
    ),
    gauges(
      "svcm_log_growth_bytes_per_second",
      "Growth; absent while it is not known.",
      each(({ bytesPerHour }) => (bytesPerHour === null ? null : Math.round(bytesPerHour / HOUR_SECONDS))),
    ),
    gauges(
      "svcm_log_rotated",
      "1 if a tool rotates it, otherwise 0.",
      each((log) => Math.min(1, log.rotatedBy.length)),
    ),
    gauges(
      "svcm_log_disk_full_seconds",
      "Time until the disk is full, if only logs that nothing rotates grow; absent while it is not known.",
      disks.map(({ path, fullInHours }) => ({
        labels: { path },
        value: fullInHours === null ? null : fullInHours * HOUR_SECONDS,
      })),
    ),
    gauge(
      "svcm_log_deleted_bytes",
      "Deleted files that PM2 still writes.",
      deleted.reduce((sum, one) => sum + one.bytes, 0),
    ),
  ];
}

function gauges(name: string, help: string, samples: readonly MetricSample[]): MetricFamily {
  return { name, type: "gauge", help, samples };
}

function gauge(name: string, help: string, value: number | null, labels = {}): MetricFamily {
  return gauges(name, help, [{ labels, value }]);
}

function counter(name: string, help: string, value: number | null): MetricFamily {
  return { name, type: "counter", help, samples: [{ labels: {}, value }] };
}

function info(name: string, help: string, labels: Readonly<Record<string, string>>): MetricFamily {
  return { name, type: "info", help, samples: [{ labels, value: 1 }] };
}
