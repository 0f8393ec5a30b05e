import type { ProcessMetrics, MetricsFrame } from "../../../client/index.ts";
import { statusOf, type ProcessStatus } from "./process-status.ts";
import { shellQuote } from "../../../core/words/text.ts";
import { inLocalTime, UNKNOWN } from "../../data/format.ts";

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

const grouped = new WeakMap<readonly ProcessMetrics[], AppGroup[]>();

/** Joins the instances of an app: processes with the same name, namespace and script. Several parts of the page ask about one list. */
export function groupByApp(processes: readonly ProcessMetrics[]): readonly AppGroup[] {
  const groups = grouped.get(processes) ?? joinInstances(processes);
  grouped.set(processes, groups);
  return groups;
}

function joinInstances(processes: readonly ProcessMetrics[]): AppGroup[] {
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

export type DriftEntry = MetricsFrame["payload"]["ecosystem"]["drift"][number];
type Judged = Pick<ProcessMetrics, "state" | "status" | "problem">;

interface Attention {
  /** 0 is the most urgent. */
  readonly rank: number;
  /** Empty if the badge is enough. */
  readonly reason: string;
}

const RANKS = { errored: 0, problem: 1, waiting: 2, drift: 3, stale: 4, undeclared: 5 } as const;
export const CALM_RANK = 6;

function attentionOf(process: Judged, drift: readonly DriftEntry[]): Attention | undefined {
  const { status, problem } = process;
  const isErrored = problem?.code === "PROCESS_ERRORED";
  if (problem !== null)
    return { rank: isErrored ? RANKS.errored : RANKS.problem, reason: inLocalTime(problem.details) };
  if (status === "waiting restart") return { rank: RANKS.waiting, reason: "PM2 waits before the next restart." };
  const [worst] = drift.toSorted((a, b) => rankOf(a) - rankOf(b));
  if (worst === undefined) return undefined;
  const rank = rankOf(worst);
  if (rank === RANKS.undeclared) return { rank, reason: "" };
  const more = drift.length === 1 ? "" : ` And ${drift.length - 1} more.`;
  return { rank, reason: `${worst.key ?? worst.field}: ${driftText(worst)}${more}` };
}

function rankOf({ state, field }: DriftEntry): number {
  if (state === "unexpected") return RANKS.undeclared;
  return state === "stale" || field === "envFile" ? RANKS.stale : RANKS.drift;
}

/** PM2 applies these only to a new process. */
const NEW_PROCESS_FIELDS = new Set<string>(["execMode", "watch"]);

/** True if only a restart with the ecosystem file removes the difference. */
export function isApplicable({ field, state }: DriftEntry): boolean {
  if (field === "app" || field === "instances" || NEW_PROCESS_FIELDS.has(field)) return false;
  return state !== "stale" || field === "env";
}

export function driftText(entry: DriftEntry): string {
  const { name, field, state, declared, running } = entry;
  if (state === "stale") return staleText(entry);
  if (state === "unexpected") return "running, not declared.";
  if (state === "missing") return missingText(running);
  if (state === "absent" && field === "cwd") return `the folder ${running ?? UNKNOWN} does not exist.`;
  if (state === "absent") return "declared, not in the running process.";
  const values =
    declared === null ? "another value is declared." : `${declared} declared, ${running ?? UNKNOWN} running.`;
  if (field === "instances") return `${values} To change it: svcm scale ${shellQuote(name)} ${declared}`;
  return NEW_PROCESS_FIELDS.has(field) ? `${values} A restart keeps it; delete and start the app to apply it.` : values;
}

function missingText(running: DriftEntry["running"]): string {
  return running === null ? "declared, not running." : `declared, and its state is ${running}.`;
}

function staleText({ field, declared }: DriftEntry): string {
  if (field === "env") return "not declared, still in the running process.";
  return `${declared} was written after the process started. A restart ${field === "script" ? "runs" : "reads"} it.`;
}
