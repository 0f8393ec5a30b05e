import { toSkipped, type SkippedProcess } from "../../pm2/skipped-process.ts";
import type { ProcessAction } from "../../api/names.ts";
import type { Declaration } from "../../pm2/declared.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { appKind } from "../../running/kind.ts";
import { hasEndedWell, isAtRest } from "../../running/state.ts";

/** Only its schedule, or `svcm run`, starts it. */
export function isJob({ apps }: Pick<Declaration, "apps">): boolean {
  return apps.some(({ autorestart, cron_restart: schedule }) => {
    const isFinite = autorestart === false || autorestart === "false";
    return isFinite && typeof schedule === "string";
  });
}

/** A job that waits, or a task that has ended. */
export function isInPlaceAtRest(record: ProcessRecord): boolean {
  const kind = appKind(record.declaration.settings);
  return (
    (kind === "job" && isAtRest(record)) || (kind === "task" && hasEndedWell(record) && record.lastStartAt !== null)
  );
}

/** An action on many apps neither runs a job or task out of turn nor ends its run. */
export function separateJobs(
  action: ProcessAction,
  targets: readonly ProcessRecord[],
): { readonly services: readonly ProcessRecord[]; readonly left: readonly SkippedProcess[] } {
  if (action === "stop" || action === "delete") return { services: targets, left: [] };
  const left = targets.flatMap((record): SkippedProcess[] => {
    if (isInPlaceAtRest(record)) return [toSkipped(record, "JOB_WAITS")];
    const isRunning = appKind(record.declaration.settings) !== "service" && !isAtRest(record);
    return isRunning ? [toSkipped(record, "ALREADY_RUNNING")] : [];
  });
  return { services: targets.filter(({ pmId }) => left.every((one) => one.pmId !== pmId)), left };
}
