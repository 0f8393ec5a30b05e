import type { ProcessRecord } from "./process-record.ts";

export interface OwnProcess {
  readonly pids: readonly number[];
  /** Its number and name in PM2, which PM2 puts into the environment of a process that it starts. */
  readonly pm2: { readonly pmId: number; readonly name: string } | null;
}

export function isOwn({ pid, pmId, name }: ProcessRecord, own: OwnProcess): boolean {
  if (pid !== null && own.pids.includes(pid)) return true;
  return own.pm2 !== null && own.pm2.pmId === pmId && own.pm2.name === name;
}
