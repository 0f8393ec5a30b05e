import type { AuditRecord } from "../api/audit-record.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { LastEnd, StopFact } from "./facts.ts";

/** An app that ignores its signal is killed after its `kill_timeout`. */
const MAX_STOP_MS = 60_000;
const SECOND_MS = 1000;

/**
 * Adds the user who stopped a process. An apply or a restart that was cut off stops a process as well, and no user
 * wanted that.
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
  const stopped = stopBySvcm(own[0], lastEnd);
  if (stopped !== undefined) return stopped;
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

function stopBySvcm(newest: AuditRecord | undefined, lastEnd: LastEnd | undefined): LastEnd | undefined {
  if (newest?.action !== "process.stop" || lastEnd?.stop === null) return undefined;
  const requestedMs = Date.parse(newest.timestamp);
  const atMs = lastEnd?.stop.atMs ?? requestedMs;
  if (Math.abs(requestedMs - atMs) > MAX_STOP_MS) return undefined;
  const stop: StopFact = { atMs, actor: newest.actor ?? null, isSvcm: true };
  return { signal: null, code: null, ...lastEnd, stop };
}
