import { shellQuote } from "../words/shell.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { ProcessStateName } from "../api/names.ts";
import { stateText } from "../running/state-text.ts";
import { mebibytes } from "./causes.ts";
import { nextDue, parseSchedule } from "./schedule.ts";
import { formatSecond } from "../words/time.ts";
import { NOT_RUN_YET } from "../running/finite-state.ts";
import { isAtRest, isWithoutPid, type ProcessState } from "../running/state.ts";

type ShownState = Pick<ProcessState, "name" | "reason">;

/** @param nowMs milliseconds since 1970 */
export function describeNextActions(record: ProcessRecord, state: ProcessState, nowMs: number): string[] {
  const { watching, cronRestart } = record;
  const { name } = state;
  if (isWithoutPid(record)) return ["It has no pid, and PM2 does not notice: PM2 starts it only on request."];
  if (hasGivenUp(name)) return ["PM2 has given up on it, and starts it only on request."];
  if (isAtRest(record) && cronRestart === null)
    return [`PM2 starts it only on request${awaitsRun(state) ? `: svcm run ${shellQuote(record.name)}` : ""}.`];
  return [
    restartSentence(record),
    ...memoryLimit(record),
    ...(watching ? ["PM2 restarts it if a watched file changes."] : []),
    ...(cronRestart === null ? [] : [scheduleSentence(cronRestart, nowMs)]),
  ];
}

/** `Now: errored. PM2 does not start it again; svcm restart api does.` */
export function stateSentences(app: string, states: readonly ShownState[]): string[] {
  if (states.length === 0) return [];
  const next = nextSentence(app, states);
  return [`Now: ${states.map(stateText).join(", ")}.${next === undefined ? "" : ` ${next}`}`];
}

function nextSentence(app: string, states: readonly ShownState[]): string | undefined {
  if (states.some(({ name }) => hasGivenUp(name)))
    return `PM2 does not start it again; svcm restart ${shellQuote(app)} does.`;
  if (states.some(({ name }) => name === "missing"))
    return `PM2 lists it as online and does not notice; svcm restart ${shellQuote(app)} starts it.`;
  if (states.some(awaitsRun)) return `PM2 does not run it by itself; svcm run ${shellQuote(app)} does.`;
  return undefined;
}

/** A task that has not succeeded. No apply runs it again, also with other code or another definition. */
function awaitsRun({ name, reason }: ShownState): boolean {
  return name === "failed" || (name === "ended" && reason === NOT_RUN_YET);
}

function hasGivenUp(name: ProcessStateName): boolean {
  return name === "errored" || name === "given up";
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
