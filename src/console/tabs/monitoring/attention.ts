import type { MetricsFrame, ProcessMetrics } from "../../../client/index.ts";
import { inLocalTime, UNKNOWN } from "../../data/format.ts";

export type DriftEntry = MetricsFrame["payload"]["ecosystem"]["drift"][number];
type Judged = Pick<ProcessMetrics, "state" | "status" | "problem">;

export interface Attention {
  /** 0 is the most urgent. */
  readonly rank: number;
  /** Empty if the badge is enough. */
  readonly reason: string;
}

const RANKS = { errored: 0, problem: 1, waiting: 2, drift: 3, stale: 4, undeclared: 5 } as const;
export const CALM_RANK = 6;

export function attentionOf(process: Judged, drift: readonly DriftEntry[]): Attention | undefined {
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
  if (field === "instances") return `${values} To change it: svcm scale ${name} ${declared}`;
  return NEW_PROCESS_FIELDS.has(field) ? `${values} A restart keeps it; delete and start the app to apply it.` : values;
}

function missingText(running: DriftEntry["running"]): string {
  return running === null ? "declared, not running." : `declared, and it is ${running}.`;
}

function staleText({ field, declared }: DriftEntry): string {
  if (field === "env") return "not declared, still in the running process.";
  return `${declared} was written after the process started. A restart ${field === "script" ? "runs" : "reads"} it.`;
}
