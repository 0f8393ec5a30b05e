import type { ProcessMetrics } from "../../../client/index.ts";
import { attentionOf, type Attention, type DriftEntry } from "./attention.ts";
import { statusOf, type ProcessStatus } from "./process-status.ts";

export interface AppGroup {
  readonly key: string;
  /** For several instances, the sums and the worst status. */
  readonly process: ProcessMetrics;
  readonly instances: readonly ProcessMetrics[];
}

export interface Row extends AppGroup {
  readonly drift: readonly DriftEntry[];
  readonly attention: Attention | undefined;
  readonly growth: Growth | undefined;
}

export interface Growth {
  readonly bytes: number;
  /** The time of the first recorded value, in seconds. */
  readonly since: number;
}

type DriftOf = (process: ProcessMetrics) => readonly DriftEntry[];

const URGENCY: readonly ProcessStatus[] = ["errored", "troubled", "other", "stopped", "waiting", "online"];

/** Includes the name, because PM2 reuses the numbers of deleted processes. */
export function keyOf({ name, pmId }: Pick<ProcessMetrics, "name" | "pmId">): string {
  return `${pmId} ${name}`;
}

/** Joins the instances of an app: processes with the same name, namespace and script. */
export function groupByApp(processes: readonly ProcessMetrics[]): AppGroup[] {
  const apps = new Map<string, ProcessMetrics[]>();
  for (const process of processes) {
    const app = `${process.name}\0${process.namespace}\0${process.script}`;
    const known = apps.get(app);
    if (known) known.push(process);
    else apps.set(app, [process]);
  }
  return [...apps.values()].flatMap((instances) => {
    const [first, ...others] = instances;
    if (first === undefined) return [];
    return [others.length === 0 ? singleGroup(first) : combine(first, instances)];
  });
}

export function singleGroup(process: ProcessMetrics): AppGroup {
  return { key: keyOf(process), process, instances: [process] };
}

export function toRow(from: AppGroup, driftOf: DriftOf, growthOf: (row: AppGroup) => Growth | undefined): Row {
  const isOne = from.instances.length === 1;
  const drift = isOne ? driftOf(from.process) : [...new Set(from.instances.flatMap(driftOf))];
  return { ...from, drift, attention: attentionOf(from.process, drift), growth: growthOf(from) };
}

function combine(first: ProcessMetrics, instances: readonly ProcessMetrics[]): AppGroup {
  const worst = instances.toSorted((a, b) => URGENCY.indexOf(statusOf(a)) - URGENCY.indexOf(statusOf(b)))[0] ?? first;
  const process: ProcessMetrics = {
    ...worst,
    pmId: first.pmId,
    ...(instances.some(({ isOwn }) => isOwn) && { isOwn: true }),
    cpuPercent: sum(instances, ({ cpuPercent }) => cpuPercent),
    memoryBytes: sum(instances, ({ memoryBytes }) => memoryBytes),
    restartCount: sum(instances, ({ restartCount }) => restartCount),
    unstableRestarts: sum(instances, ({ unstableRestarts }) => unstableRestarts),
    uptimeMs: minOf(instances.map(({ uptimeMs }) => uptimeMs)),
    diskIo: {
      ...worst.diskIo,
      readBytesPerSecond: sum(instances, ({ diskIo }) => diskIo.readBytesPerSecond),
      writeBytesPerSecond: sum(instances, ({ diskIo }) => diskIo.writeBytesPerSecond),
    },
  };
  return { key: `× ${keyOf(first)}`, process, instances };
}

function sum(instances: readonly ProcessMetrics[], read: (process: ProcessMetrics) => number | null): number | null {
  const values = instances.map(read).filter((value) => value !== null);
  return values.length === 0 ? null : values.reduce((total, value) => total + value, 0);
}

function minOf(values: readonly (number | null)[]): number | null {
  const measured = values.filter((value) => value !== null);
  return measured.length === 0 ? null : Math.min(...measured);
}
