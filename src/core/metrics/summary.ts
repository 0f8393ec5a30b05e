import type { MetricsPayload, ProcessMetrics } from "../api/metrics.ts";

/** Counts and sums of the processes. A sum has the measured values only, and is null if there are none. */
export function summaryOf(processes: readonly ProcessMetrics[]): MetricsPayload["summary"] {
  const statusCounts: Record<string, number> = {};
  for (const { status } of processes) statusCounts[status] = (statusCounts[status] ?? 0) + 1;
  const running = processes.filter(({ pid }) => pid !== null);
  return {
    processCount: processes.length,
    onlineCount: statusCounts["online"] ?? 0,
    stoppedCount: statusCounts["stopped"] ?? 0,
    erroredCount: statusCounts["errored"] ?? 0,
    totalCpuPercent: sumOf(running.map(({ cpuPercent }) => cpuPercent)),
    totalMemoryBytes: sumOf(running.map(({ memoryBytes }) => memoryBytes)),
    statusCounts,
    asyncContextActiveSum: activeSum(processes),
  };
}

function sumOf(values: readonly (number | null)[]): number | null {
  const measured = values.filter((value) => value !== null);
  if (measured.length === 0 && values.length > 0) return null;
  return Math.round(measured.reduce((sum, value) => sum + value, 0) * 10) / 10;
}

function activeSum(processes: readonly ProcessMetrics[]): number | null {
  const active = processes.flatMap(({ asyncContext }) =>
    asyncContext !== null && "active" in asyncContext && typeof asyncContext.active === "number"
      ? [asyncContext.active]
      : [],
  );
  return active.length === 0 ? null : active.reduce((sum, count) => sum + count, 0);
}
