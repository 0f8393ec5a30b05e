import type { ProcessRecord } from "../pm2/process-record.ts";
import { mebibytes } from "./causes.ts";
import { presentState } from "./present-state.ts";
import { nextDue, parseSchedule } from "./schedule.ts";
import { formatSecond } from "../words/seconds.ts";

/** @param nowMs milliseconds since 1970 */
export function describeNextActions(record: ProcessRecord, nowMs: number): string[] {
  const { status, watching, cronRestart, pid, createdAt, declaration } = record;
  const autorestart = declaration.settings.autorestart !== false;
  const state = presentState({ status, pid, createdAt, autorestart });
  if (state === "not running") return ["It has no pid, and PM2 does not notice: PM2 starts it only on request."];
  if (state === "given up") return ["PM2 has given up on it, and starts it only on request."];
  if (status === "stopped" && cronRestart === null) return ["PM2 starts it only on request."];
  return [
    restartSentence(record),
    ...memoryLimit(record),
    ...(watching ? ["PM2 restarts it if a watched file changes."] : []),
    ...(cronRestart === null ? [] : [scheduleSentence(cronRestart, nowMs)]),
  ];
}

function restartSentence({ declaration: { settings } }: ProcessRecord): string {
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

function scheduleSentence(pattern: string, nowMs: number): string {
  const schedule = parseSchedule(pattern);
  const atMs = schedule && nextDue(schedule, nowMs);
  const when = atMs === undefined ? "" : `, next at ${formatSecond(atMs)}`;
  return `Its schedule ${pattern} restarts it${when}.`;
}
