import type { ProcessRecord } from "../pm2/process-record.ts";
import { mebibytes } from "./causes.ts";
import { nextDue, scheduleOf } from "./schedule.ts";
import { shownSecond } from "./seconds.ts";

/** @param nowMs milliseconds since 1970 */
export function actsNext(record: ProcessRecord, nowMs: number): string[] {
  const { status, watching, cronRestart } = record;
  if (status === "errored") return ["PM2 has given up on it, and starts it only on request."];
  if (status === "stopped" && cronRestart === null) return ["PM2 starts it only on request."];
  return [
    afterAnEnd(record),
    ...memoryLimit(record),
    ...(watching ? ["PM2 restarts it if a watched file changes."] : []),
    ...(cronRestart === null ? [] : [scheduled(cronRestart, nowMs)]),
  ];
}

function afterAnEnd({ declaration: { settings } }: ProcessRecord): string {
  const { autorestart, expBackoffRestartDelay, restartDelay } = settings;
  if (autorestart === false) return "PM2 does not start it again after an end.";
  if (expBackoffRestartDelay) return "PM2 starts it again after an end, with a delay that grows.";
  const delay = restartDelay ? `, ${Number(restartDelay) / 1000} s later` : "";
  return `PM2 starts it again after an end${delay}.`;
}

function memoryLimit({ memoryBytes, declaration: { settings } }: ProcessRecord): string[] {
  const { maxMemoryRestart } = settings;
  if (typeof maxMemoryRestart !== "number") return [];
  const used = memoryBytes === null ? "" : `; it uses ${mebibytes(memoryBytes)}`;
  return [`PM2 restarts it above ${mebibytes(maxMemoryRestart)}${used}.`];
}

function scheduled(pattern: string, nowMs: number): string {
  const schedule = scheduleOf(pattern);
  const atMs = schedule && nextDue(schedule, nowMs);
  const when = atMs === undefined ? "" : `, next at ${shownSecond(atMs)}`;
  return `Its schedule ${pattern} restarts it${when}.`;
}
