import type { Issue } from "../../api/issue.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";

/** PM2 keeps the schedule of a stopped app: it starts the app at the next time. */
export function scheduleWarnings(stopped: readonly ProcessRecord[]): Issue[] {
  const schedules = new Map(
    stopped.flatMap(({ name, cronRestart }) => (cronRestart === null ? [] : [[name, cronRestart]])),
  );
  return [...schedules].map(([name, pattern]) => ({
    code: "PROCESS_STILL_SCHEDULED",
    severity: "warning",
    path: ["apps", name],
    message: `PM2 still starts ${name} on its schedule, ${pattern}. To end that, too: svcm delete ${name}`,
  }));
}
