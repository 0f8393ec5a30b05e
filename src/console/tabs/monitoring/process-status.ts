import type { ProcessMetrics } from "../../../client/index.ts";
import { stateText } from "../../../core/running/state-text.ts";

export const statuses = ["online", "waiting", "stopped", "errored", "troubled", "other"] as const;
export type ProcessStatus = (typeof statuses)[number];

type Judged = Pick<ProcessMetrics, "state" | "stateReason" | "problem">;

/** Groups the states; a problem takes precedence. */
export function statusOf({ state, problem }: Judged): ProcessStatus {
  if (state === "errored" || state === "given up") return "errored";
  if (problem !== null) return "troubled";
  if (state === "online" || state === "running") return "online";
  if (state === "waiting" || state === "ended") return "waiting";
  return state === "stopped" ? state : "other";
}

/** A problem of a process that runs all the same, in place of `online`. */
const problemLabels: Partial<Readonly<Record<NonNullable<ProcessMetrics["problem"]>["code"], string>>> = {
  PROCESS_FOLDER_MISSING: "folder missing",
  PROCESS_MEMORY_LOOP: "memory loop",
  PROCESS_WATCH_LOOP: "watch loop",
  JOB_FAILED: "run failed",
  JOB_MISSED: "run missed",
  JOB_STUCK: "does not end",
};

export function statusLabel({ state, stateReason, problem }: Judged): string {
  const label = problem === null ? undefined : problemLabels[problem.code];
  return label ?? stateText({ name: state, reason: stateReason });
}

/** True if the process causes the restarts. PM2 resets the unstable restarts when it gives up. */
export function causesRestarts(process: Judged & Pick<ProcessMetrics, "restartCount" | "unstableRestarts">): boolean {
  const { restartCount, unstableRestarts, problem } = process;
  const isFailing = statusOf(process) === "errored" || problem?.code === "PROCESS_CRASH_LOOP";
  return (restartCount ?? 0) > 0 && (isFailing || (unstableRestarts ?? 0) > 0);
}
