import type { ProcessMetrics } from "../../../client/index.ts";
import type { Metrics } from "./feed.ts";
import { statusOf } from "./process-status.ts";
import { groupByApp, type AppGroup } from "./rows.ts";

type Judged = Pick<Metrics, "processes" | "ecosystem">;

/** One reason to look at the machine: an app that does not do what it should, or all apps that PM2 does not know. */
export type Trouble =
  | { readonly kind: "app"; readonly row: AppGroup; readonly count: number }
  | { readonly kind: "missing"; readonly names: readonly string[] };

/** False if processes run, and the ecosystem file declares none of them. */
export function isOfEnvironment({ processes, ecosystem }: Judged): boolean {
  const undeclared = new Set(ecosystem.unexpected);
  return processes.length === 0 || processes.some(({ name }) => !undeclared.has(name));
}

/** Declared apps without a process, if the machine runs the environment. */
export function missingApps(metrics: Judged): readonly string[] {
  const { processes, ecosystem } = metrics;
  if (!isOfEnvironment(metrics)) return [];
  const known = new Set(processes.map(({ name }) => name));
  return ecosystem.missingExpected.filter((name) => !known.has(name));
}

/**
 * True if the process has a problem, or if its app is declared and stopped though no request is known that stopped it, for example
 * after an apply that failed.
 */
export function isTroubled(
  process: ProcessMetrics,
  { missingExpected }: Pick<Metrics["ecosystem"], "missingExpected">,
): boolean {
  const status = statusOf(process);
  if (status === "errored" || status === "troubled") return true;
  return process.state === "stopped" && process.stateReason === null && missingExpected.includes(process.name);
}

/** The most urgent first. */
export function findTroubles(metrics: Judged): Trouble[] {
  const apps = groupByApp(metrics.processes).flatMap((row): Trouble[] => {
    const count = row.instances.filter((one) => isTroubled(one, metrics.ecosystem)).length;
    return count === 0 ? [] : [{ kind: "app", row, count }];
  });
  const names = missingApps(metrics);
  const isErrored = (one: Trouble): boolean => one.kind === "app" && statusOf(one.row.process) === "errored";
  const sorted = [...apps.filter(isErrored), ...apps.filter((one) => !isErrored(one))];
  return names.length === 0 ? sorted : [{ kind: "missing", names }, ...sorted];
}

/** Processes in trouble, and declared apps without one. */
export function countTroubles(metrics: Judged): number {
  const processes = metrics.processes.filter((process) => isTroubled(process, metrics.ecosystem));
  return processes.length + missingApps(metrics).length;
}
