import { readFileSync } from "node:fs";
import { parsePidStat } from "../../metrics/proc.ts";
import type { OwnProcess } from "../../pm2/process-record.ts";

const MOST_ANCESTORS = 64;

export function ownProcess(env: Readonly<Record<string, string | undefined>>): OwnProcess {
  const { pm_id: pmId, name } = env;
  const isOfPm2 = pmId !== undefined && /^\d{1,9}$/.test(pmId) && name !== undefined;
  return { pids: withAncestors(process.pid), pm2: isOfPm2 ? { pmId: Number(pmId), name } : null };
}

function withAncestors(pid: number): number[] {
  const pids = [pid];
  let parent: number = process.ppid;
  while (parent > 1 && pids.length < MOST_ANCESTORS) {
    pids.push(parent);
    parent = parentOf(parent);
  }
  return pids;
}

function parentOf(pid: number): number {
  try {
    return parsePidStat(readFileSync(`/proc/${pid}/stat`, "latin1"))?.parentPid ?? 0;
  } catch {
    return 0;
  }
}
