import { requireEnvironment, undecidedIssues } from "../../project/resolve.ts";
import type { HasTelemetry, MetricsPorts, Sample } from "../telemetry.ts";
import type { HasLogCare } from "../../logs/care/log-care.ts";
import type { HasBootOutlook } from "../../rollout/port-deployed.ts";
import { usageOf } from "../../logs/care/usage.ts";
import { metricFamilies } from "../metric-families.ts";
import { metricsText } from "../open-metrics.ts";
import { type Caller, defineOperation } from "../../access/operation.ts";
import { type HasReleases, listReleases } from "../../rollout/ports.ts";
import { serverIdentity } from "../../access/rights.ts";
import { type Issue, compareText, foreignCode } from "../../api/issue.ts";
import type { MetricsPayload, ProcessProblem, ProcessTree } from "../../api/metrics.ts";
import { SvcmError, describeError } from "../../api/errors.ts";
import type { NodeState } from "../../api/node.ts";
import type { ProcessStateName } from "../../api/names.ts";
import { uptimeMs } from "../payload.ts";
import { listScrubbed } from "../../pm2/list.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { type AppKind, appKind } from "../../running/code-evidence.ts";
import { readTreeUsage } from "../../running/read-usage.ts";
import { readStateOf } from "../../running/read-states.ts";
import type { ProcessState } from "../../running/state.ts";
import { withMachineEnvironment } from "../../rollout/machine-environment.ts";
import { listConflicts, lostDaemonIssues } from "../../rollout/notes.ts";
import { missingListIssues } from "../../pm2/rules/file.ts";
import { EcosystemWatch } from "../sampling/ecosystem-watch.ts";

/** @see the specification, "GET /api/runtime/pm2-metrics" */
export const metricsShow = defineOperation({
  id: "metrics.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: HasTelemetry, { environment, service, asyncContext = false }, { limits }): Promise<MetricsPayload> {
    const sample = await ports.telemetry.collect({ environment, service, asyncContext, limits });
    if (sample.kind === "metrics") return sample.payload;
    throw new SvcmError("PM2_METRICS_FAILED", { code: foreignCode(sample.error.code), details: sample.error.details });
  },
});

/** Two scrapers, or one that retries, share a measurement. */
const FRESH_MS = 2_000;

/** The server looks at the logs each minute, but it cannot while `svcm.yaml` is broken. */
const PRESENT_LOGS_MS = 3 * 60_000;

/** Covers processes, host, drift, audit and svcm's own cost. If PM2 cannot be read, covers only the host. */
export const metricsExpose = defineOperation({
  id: "metrics.expose",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: MetricsPorts & HasLogCare & HasBootOutlook, { version, format }, { limits }): Promise<string> {
    const { telemetry, machine, audit, releases } = ports;
    const [sample, storedReleases, server] = await Promise.all([
      telemetry.collect({
        environment: undefined,
        asyncContext: false,
        isOfMachine: true,
        freshMs: FRESH_MS,
        limits,
      }),
      // If the releases cannot be read, the other metrics are still useful.
      listReleases(releases).catch(() => []),
      serverIdentity(ports),
    ]);
    const counts = { audit: audit.counts(), releases: storedReleases, ended: releases.counts() };
    const survey = ports.logCare.last();
    const isPresent = survey !== undefined && Math.abs(ports.clock.now() - survey.atMs) <= PRESENT_LOGS_MS;
    // Its settings say which logs are rotated, so without them the logs are unknown.
    const project = await ports.facts.project().catch(() => null);
    const logs = isPresent && project !== null ? usageOf(survey, project?.logs) : undefined;
    const cost = { own: machine.ownUsage(), cost: telemetry.cost() };
    return metricsText(
      metricFamilies({ version, server, sample, logs, boot: ports.bootOutlook.last(), ...cost, ...counts }),
      format,
    );
  },
});

const MAX_TROUBLES = 5;
/** Concurrent requests share a measurement. */
const NODE_FRESH_MS = 1_000;

type Measured = Omit<NodeState, "release">;

/** Summarises the state of this machine. If PM2 cannot be read, the result says so. */
export const nodeShow = defineOperation({
  id: "node.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: HasReleases & HasTelemetry, _input, { limits }): Promise<NodeState> {
    const [measured, [release]] = await Promise.all([measureState(ports, limits), listReleases(ports.releases)]);
    return {
      ...measured,
      release: release
        ? {
            id: release.id,
            environment: release.environment,
            outcome: release.outcome,
            commit: release.git?.commit ?? null,
            endedAt: release.endedAt,
          }
        : null,
    };
  },
});

async function measureState({ telemetry }: HasTelemetry, limits: Caller["limits"]): Promise<Measured> {
  try {
    return toState(
      await telemetry.collect({
        environment: undefined,
        asyncContext: false,
        freshMs: NODE_FRESH_MS,
        limits,
      }),
    );
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    const { details, error: summary, code } = describeError(error).body;
    return { ...UNKNOWN, host: null, processes: { error: details ?? summary, ...(code !== undefined && { code }) } };
  }
}

const UNKNOWN = { environment: null, troubles: [], drift: null };

function toState(sample: Sample): Measured {
  const { cpu, memory } = sample.payload.host;
  const host = { cpuPercent: cpu.usagePercent, memoryPercent: memory.usedPercent };
  if (sample.kind === "host") {
    const { code, details } = sample.error;
    return { ...UNKNOWN, host, processes: { error: details, code } };
  }
  const { environment, summary, processes, ecosystem } = sample.payload;
  return {
    environment,
    processes: {
      total: summary.processCount,
      online: summary.onlineCount,
      stopped: summary.stoppedCount,
      errored: summary.erroredCount,
      troubled: processes.filter(({ problem }) => problem !== null).length,
      restarts: processes.reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0),
    },
    troubles: listTroubles(processes),
    drift: countDrift(ecosystem),
    host,
  };
}

function listTroubles(processes: MetricsPayload["processes"]): Measured["troubles"] {
  return processes
    .filter(({ status, problem }) => problem !== null || status === "errored")
    .slice(0, MAX_TROUBLES)
    .map(({ name, status, problem }) => ({ app: name, details: problem?.details ?? `PM2 calls it ${status}.` }));
}

/** Counts each app once: as missing, undeclared, stale or different, in this order. */
function countDrift({ drift, exists, planSteps }: MetricsPayload["ecosystem"]): Measured["drift"] {
  if (!exists || planSteps === null) return null;
  const namesWith = (...states: string[]): Set<string> =>
    new Set(drift.filter(({ state }) => states.includes(state)).map(({ name }) => name));
  const stale = namesWith("stale");
  return {
    missing: namesWith("missing").size,
    undeclared: namesWith("unexpected").size,
    stale: stale.size,
    different: [...namesWith("different", "absent")].filter((name) => !stale.has(name)).length,
  };
}

export interface ListedProcess extends Omit<
  ProcessRecord,
  "declaration" | "uniqueId" | "lastStartAt" | "cronRestart" | "listenPorts" | "port"
> {
  readonly kind: AppKind;
  /** From PM2's status and everything else that svcm knows. */
  readonly state: ProcessStateName;
  /** Continues the state. */
  readonly stateReason: string | null;

  readonly problem: ProcessProblem | null;
  /** Present if the process has descendants: CPU and memory are then those of all of them. */
  readonly tree?: ProcessTree;
  /** Null unless the process is online, or if the machine's clock was set back after its start. */
  readonly uptimeMs: number | null;
}

export interface ProcessListResponse {
  readonly processes: readonly ListedProcess[];
  /** Why the list lacks apps that run. */
  readonly issues?: readonly Issue[];
}

/** Never starts a daemon. */
export const processList = defineOperation({
  id: "process.list",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: MetricsPorts): Promise<ProcessListResponse> {
    const list = await listScrubbed(ports);
    const [stateOf, usage] = await Promise.all([readStateOf(ports, list), readTreeUsage(ports, list)]);
    const epochMs = ports.clock.now();
    const issues = lostDaemonIssues(ports.processes.lostDaemons());
    const sorted = list.toSorted((a, b) => compareText(a.name, b.name) || a.pmId - b.pmId);
    return {
      processes: sorted.map((record) => ({ ...toListed(record, stateOf(record), epochMs), ...usage.get(record.pmId) })),
      ...(issues.length > 0 && { issues }),
    };
  },
});

function toListed(
  record: ProcessRecord,
  { name: state, reason: stateReason, problem }: ProcessState,
  epochMs: number,
): ListedProcess {
  const {
    declaration: _d,
    uniqueId: _u,
    lastStartAt: _l,
    cronRestart: _c,
    listenPorts: _p,
    isElsewhere: _e,
    isStopCode: _s,
    port: _port,
    ...fields
  } = record;
  const kind = appKind(record.declaration.settings);
  return { ...fields, kind, state, stateReason, problem, uptimeMs: uptimeMs(record, epochMs) };
}

export type EcosystemDrift = Omit<MetricsPayload["ecosystem"], "error" | "code"> & {
  readonly environment: string;
  /** Why a plan refuses the file, so that no difference is not "all is well". */
  readonly issues: readonly Issue[];
};

/**
 * Compares once, without taking measurements. For a service, compares only its apps. Never returns values of arguments
 * and environments.
 */
export const ecosystemDrift = defineOperation({
  id: "ecosystem.drift",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: MetricsPorts, input, caller): Promise<EcosystemDrift> {
    const request = await withMachineEnvironment(ports, input, caller);
    requireEnvironment(await ports.facts.project(), request.environment, ports.workspace.nodeEnv);
    const environment = await ports.telemetry.environment(request, caller);
    // As a plan does, so that both say the same.
    const { list, digest } = await ports.processes.withHomeKey();
    const records = await list();
    const watch = new EcosystemWatch(ports, request, digest);
    const {
      error: details = "",
      code,
      ...view
    } = await watch.compare(records, { isCurrent: true, stateOf: await readStateOf(ports, records) });
    if (code !== undefined)
      throw new SvcmError("ECOSYSTEM_FILE_FAILED", { code: foreignCode(code), path: view.path, details });
    const { content } = await watch.read({ isCurrent: true });
    const undecided = undecidedIssues((await ports.facts.project())?.undecided ?? [], content?.name ?? environment);
    const refused = content === undefined ? [] : listConflicts(content, records, ports.host.cpuCores());
    const issues = [
      ...lostDaemonIssues(ports.processes.lostDaemons()),
      ...undecided,
      ...(content ? missingListIssues(content) : []),
      ...refused.flatMap(({ issue }) => (issue.severity === "error" ? [issue] : [])),
    ];
    return { environment, issues, ...(request.service === undefined ? view : withoutOthers(view)) };
  },
});

/** Processes that the service does not declare belong to other services, or to no service. */
function withoutOthers<View extends Pick<EcosystemDrift, "unexpected" | "drift">>(view: View): View {
  return { ...view, unexpected: [], drift: view.drift.filter(({ state }) => state !== "unexpected") };
}
