import type { ProcessMetrics } from "../../../client/index.ts";

export type ProcessStatus = "online" | "stopped" | "errored" | "troubled" | "other";

type Judged = Pick<ProcessMetrics, "status" | "problem">;

/** PM2's words in groups: the three that last, what is changing, and a process with a problem that its status hides. */
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

/** What the status column says: PM2's word, or the problem that it hides. */
export function statusWord({ status, problem }: Judged): string {
  return problem === null || status === "errored" ? status : problemWords[problem.code];
}

/** How many processes need somebody to look at them. */
export function countTroubled(processes: readonly Judged[]): number {
  return processes.filter((process) => ["errored", "troubled"].includes(statusOf(process))).length;
}

/** Whether it was restarted because of its own faults. PM2 forgets the unstable restarts once it has given up. */
export function isRestless(process: Judged & Pick<ProcessMetrics, "restartCount" | "unstableRestarts">): boolean {
  const { restartCount, unstableRestarts, status, problem } = process;
  const isFailing = status === "errored" || problem?.code === "PROCESS_CRASH_LOOP";
  return (restartCount ?? 0) > 0 && (isFailing || (unstableRestarts ?? 0) > 0);
}
