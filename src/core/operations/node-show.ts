import type { MetricsPayload } from "../api/metrics.ts";
import type { NodeState } from "../api/node.ts";
import { describeError, SvcmError } from "../errors.ts";
import type { Sample } from "../metrics/telemetry.ts";
import { defineOperation } from "../operation.ts";
import type { Ports } from "../ports/index.ts";
import { listReleases } from "../rollout/read-releases.ts";

const MOST_TROUBLES = 5;
/** Concurrent requests share a measurement. */
const FRESH_MS = 1_000;

type Measured = Omit<NodeState, "release">;

/** Summarises the state of this machine. If PM2 cannot be read, the result says so. */
export const nodeShow = defineOperation({
  id: "node.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports): Promise<NodeState> {
    const [measured, [release]] = await Promise.all([measuredNow(ports), listReleases(ports.releases)]);
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

async function measuredNow({ telemetry }: Ports): Promise<Measured> {
  try {
    return stateIn(await telemetry.collect({ environment: undefined, asyncContext: false, freshMs: FRESH_MS }));
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    const { details, error: words, code } = describeError(error).body;
    return { ...nothing, host: null, processes: { error: details ?? words, ...(code !== undefined && { code }) } };
  }
}

const nothing = { environment: null, troubles: [], drift: null };

function stateIn(sample: Sample): Measured {
  const { cpu, memory } = sample.payload.host;
  const host = { cpuPercent: cpu.usagePercent, memoryPercent: memory.usedPercent };
  if (sample.kind === "host") {
    const { code, details } = sample.error;
    return { ...nothing, host, processes: { error: details, code } };
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
    troubles: troublesOf(processes),
    drift: driftIn(ecosystem),
    host,
  };
}

function troublesOf(processes: MetricsPayload["processes"]): Measured["troubles"] {
  return processes
    .filter(({ status, problem }) => problem !== null || status === "errored")
    .slice(0, MOST_TROUBLES)
    .map(({ name, status, problem }) => ({ app: name, details: problem?.details ?? `PM2 calls it ${status}.` }));
}

/** Counts each app once: as missing, undeclared, stale or different, in this order. */
function driftIn({ drift, exists, planSteps }: MetricsPayload["ecosystem"]): Measured["drift"] {
  if (!exists || planSteps === null) return null;
  const of = (...states: string[]): Set<string> =>
    new Set(drift.filter(({ state }) => states.includes(state)).map(({ name }) => name));
  const [missing, undeclared, stale, different] = [
    of("missing"),
    of("unexpected"),
    of("stale"),
    of("different", "absent"),
  ];
  return {
    missing: missing.size,
    undeclared: undeclared.size,
    stale: stale.size,
    different: [...different].filter((name) => !stale.has(name)).length,
  };
}
