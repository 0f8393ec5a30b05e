import type { ProcessMetrics } from "../../../client/index.ts";

export const statuses = ["online", "stopped", "errored", "troubled", "other"] as const;
export type ProcessStatus = (typeof statuses)[number];

type Judged = Pick<ProcessMetrics, "status" | "problem">;

/** PM2's statuses in groups: the lasting ones, those in between, and a problem that the status hides. */
export function statusOf({ status, problem }: Judged): ProcessStatus {
  if (status === "errored") return "errored";
  if (problem !== null) return "troubled";
  return status === "online" || status === "stopped" ? status : "other";
}

const problemWords: Readonly<Record<NonNullable<ProcessMetrics["problem"]>["code"], string>> = {
  PROCESS_CRASH_LOOP: "crash loop",
  PROCESS_WITHOUT_PID: "no process",
  PROCESS_FOLDER_MISSING: "folder missing",
};

/** The text of the status column: PM2's status, or the problem that it hides. */
export function statusWord({ status, problem }: Judged): string {
  return problem === null || status === "errored" ? status : problemWords[problem.code];
}

export function countTroubled(processes: readonly Judged[]): number {
  return processes.filter((process) => ["errored", "troubled"].includes(statusOf(process))).length;
}

/** Returns true if restarts are the fault of the process. PM2 forgets unstable restarts once it has given up. */
export function isRestless(process: Judged & Pick<ProcessMetrics, "restartCount" | "unstableRestarts">): boolean {
  const { restartCount, unstableRestarts, status, problem } = process;
  const isFailing = status === "errored" || problem?.code === "PROCESS_CRASH_LOOP";
  return (restartCount ?? 0) > 0 && (isFailing || (unstableRestarts ?? 0) > 0);
}
