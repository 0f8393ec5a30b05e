import { compareText } from "../../../core/api/issue.ts";
import type { MetricsPayload, Sample } from "../../../core/index.ts";

export type Process = MetricsPayload["processes"][number];

export const sortKeys = ["cpu", "memory", "restarts", "name", "status"] as const;
export type SortKey = (typeof sortKeys)[number];

interface Selection {
  readonly sample: Sample | undefined;
  readonly filter: string;
  readonly sort: SortKey;
}

export function visibleProcesses({ sample, filter, sort }: Selection): Process[] {
  if (sample?.kind !== "metrics") return [];
  const search = filter.trim().toLowerCase();
  const matches = sample.payload.processes.filter(({ name, namespace, status }) =>
    [name, namespace ?? "", status].some((text) => text.toLowerCase().includes(search)),
  );
  return matches.toSorted((a, b) => comparators[sort](a, b) || compareText(a.name, b.name) || a.pmId - b.pmId);
}

const comparators: Record<SortKey, (a: Process, b: Process) => number> = {
  cpu: (a, b) => (b.cpuPercent ?? -1) - (a.cpuPercent ?? -1),
  memory: (a, b) => (b.memoryBytes ?? -1) - (a.memoryBytes ?? -1),
  restarts: (a, b) => (b.restartCount ?? -1) - (a.restartCount ?? -1),
  name: () => 0,
  status: (a, b) => compareText(a.status, b.status),
};
