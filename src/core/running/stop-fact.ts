import type { AuditRecord } from "../api/audit-record.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { LastEnd, StopFact } from "./facts.ts";

/** An app that ignores its signal is killed after its `kill_timeout`. */
const MAX_STOP_MS = 60_000;
const SECOND_MS = 1000;

/**
 * Who stopped a process that does not run. An apply or a restart of svcm that was cut off stops a process as well,
 * and that is not what a person wanted.
 * @param records newest first
 */
export function attributeStop(
  { name, pmId, lastStartAt }: Pick<ProcessRecord, "name" | "pmId" | "lastStartAt">,
  lastEnd: LastEnd | undefined,
  records: readonly AuditRecord[],
): LastEnd | undefined {
  const startedMs = Math.floor((lastStartAt ?? 0) / SECOND_MS) * SECOND_MS;
  const own = records.filter(({ processes = [], outcome, timestamp }) => {
    const isSame = processes.some((one) => one.name === name && (one.pmId === null || one.pmId === pmId));
    return isSame && outcome !== "refused" && Date.parse(timestamp) >= startedMs;
  });
  const [newest] = own;
  if (newest !== undefined && newest.action === "process.stop" && lastEnd?.stop !== null) {
    const atMs = lastEnd?.stop?.atMs ?? Date.parse(newest.timestamp);
    const isIts = Math.abs(Date.parse(newest.timestamp) - atMs) <= MAX_STOP_MS;
    const stop: StopFact = { atMs, actor: newest.actor ?? null, isSvcm: true };
    if (isIts) return { signal: null, code: null, ...lastEnd, stop };
  }
  const stop = lastEnd?.stop;
  if (lastEnd === undefined || !stop) return lastEnd;
  const isActOfSvcm = own.some(
    ({ timestamp, ms = MAX_STOP_MS, action }) =>
      action !== "process.stop" &&
      stop.atMs >= Date.parse(timestamp) - ms - SECOND_MS &&
      stop.atMs <= Date.parse(timestamp) + MAX_STOP_MS,
  );
  return isActOfSvcm ? { ...lastEnd, stop: null } : lastEnd;
}
