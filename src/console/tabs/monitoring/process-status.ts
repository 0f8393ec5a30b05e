import type { ProcessMetrics } from "../../../client/index.ts";

export const statuses = ["online", "stopped", "errored", "troubled", "other"] as const;
export type ProcessStatus = (typeof statuses)[number];

type Judged = Pick<ProcessMetrics, "status" | "problem">;

/** Groups PM2's statuses; a problem that the status hides takes precedence. */
export function statusOf({ status, problem }: Judged): ProcessStatus {
  if (status === "errored") return "errored";
  if (problem !== null) return "troubled";
  return status === "online" || status === "stopped" ? status : "other";
}

const problemLabels: Readonly<Record<NonNullable<ProcessMetrics["problem"]>["code"], string>> = {
  PROCESS_CRASH_LOOP: "crash loop",
  PROCESS_WITHOUT_PID: "no process",
  PROCESS_FOLDER_MISSING: "folder missing",
};

export function statusLabel({ status, problem }: Judged): string {
  return problem === null || status === "errored" ? status : problemLabels[problem.code];
}

export function countProblems(processes: readonly Judged[]): number {
  return processes.filter((process) => ["errored", "troubled"].includes(statusOf(process))).length;
}

/** True if the process causes the restarts. PM2 resets the unstable restarts when it gives up. */
export function causesRestarts(process: Judged & Pick<ProcessMetrics, "restartCount" | "unstableRestarts">): boolean {
  const { restartCount, unstableRestarts, status, problem } = process;
  const isFailing = status === "errored" || problem?.code === "PROCESS_CRASH_LOOP";
  return (restartCount ?? 0) > 0 && (isFailing || (unstableRestarts ?? 0) > 0);
}
