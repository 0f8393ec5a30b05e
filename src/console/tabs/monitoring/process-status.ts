import type { ProcessMetrics } from "../../../client/index.ts";

export type ProcessStatus = "online" | "stopped" | "errored" | "other";

/** PM2's words in three groups and what is in between. */
export function statusOf({ status }: Pick<ProcessMetrics, "status">): ProcessStatus {
  return status === "online" || status === "stopped" || status === "errored" ? status : "other";
}

/** Whether it was restarted for its own faults: PM2 forgets how often once it has given up. */
export function isRestless(process: Pick<ProcessMetrics, "status" | "restartCount" | "unstableRestarts">): boolean {
  const { restartCount, unstableRestarts } = process;
  return (restartCount ?? 0) > 0 && (statusOf(process) === "errored" || (unstableRestarts ?? 0) > 0);
}
