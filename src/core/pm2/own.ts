import type { ProcessRecord } from "./process-record.ts";

/** What tells the process that serves a request among those that PM2 lists. */
export interface OwnProcess {
  /** This process's number and those of its ancestors. */
  readonly pids: readonly number[];
  /** What PM2 told us in our environment, where it started us. */
  readonly pm2: { readonly pmId: number; readonly name: string } | null;
}

/** Whether that process of PM2 serves this request: it is this one, or one that started it. */
export function isOwn({ pid, pmId, name }: ProcessRecord, own: OwnProcess): boolean {
  if (pid !== null && own.pids.includes(pid)) return true;
  return own.pm2 !== null && own.pm2.pmId === pmId && own.pm2.name === name;
}
