/** Changes by svcm before an end: a release, or a value of the environment. */

import { describeError } from "../api/errors.ts";
import type { AuditRecord } from "../api/audit-record.ts";
import type { SvcmEvent } from "../api/events.ts";
import type { Release } from "../api/rollout.ts";
import { callerText } from "../access/audit-text.ts";
import { renderDuration } from "../words/time.ts";
import { cutText, nameList } from "../words/text.ts";
import type { HasProcessLogs, HasLogs, LogQuery } from "../logs/port-logs.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { ProcessState } from "../running/state.ts";
import { lastErrorBlock, LAST_OF_UNCAUGHT } from "../logs/error-block.ts";

const DAY_MS = 86_400_000;
const MAX_KEYS = 5;

type End = Pick<SvcmEvent, "app" | "at" | "cause">;

/** The process ended well, or with PM2's daemon, which no change of an app ends. */
function isBlameless(cause: End["cause"]): boolean {
  return cause === "exit" || cause === "daemon";
}

/**
 * The newest release that touched the process may be the reason, whether it passed its gate or not. It is not named if
 * it was a day old, or if the process ended well.
 * @param releases newest first
 */
export function releaseBefore(releases: readonly Release[], { app, at, cause }: End, nowMs: number): string[] {
  if (isBlameless(cause)) return [];
  const endMs = Date.parse(at);
  const touching = releases.filter(({ steps }) => steps.some((step) => hasTouched(step, app)));
  const ahead = findAhead(touching, nowMs);
  if (ahead !== undefined)
    return [
      `The clock was set back after the release ${ahead.id}, so it is not known which release came before this end.`,
    ];
  const before = touching.find(({ startedAt }) => Date.parse(startedAt) <= endMs);
  if (before === undefined) return [];
  const { id, endedAt, startedAt, outcome } = before;
  const what = releaseText(before);
  const ageMs = endMs - Date.parse(endedAt ?? startedAt);
  if (ageMs > DAY_MS) return [];
  const when = ageMs <= 0 ? "was at work at this end" : `ended ${renderDuration(ageMs)} before this end`;
  const [newest = before] = touching;
  if (newest !== before) {
    return [`${what} ${applied(outcome)}${when}. ${releaseText(newest)} has changed ${app} since.`];
  }
  if (outcome === "applied") {
    const age = renderDuration(Math.max(0, ageMs));
    return [`${what} was applied ${age} before this end. To undo it: svcm rollback ${id}`];
  }
  return [`${what} ${applied(outcome)}${when}. To see its steps: svcm releases show ${id}`];
}

/** A release that a later one, or the clock, precedes in time. */
function findAhead(newestFirst: readonly Release[], nowMs: number): Release | undefined {
  let laterMs = nowMs;
  for (const release of newestFirst) {
    const atMs = Date.parse(release.startedAt);
    if (atMs > laterMs) return release;
    laterMs = atMs;
  }
  return undefined;
}

/**
 * A restart by svcm that took a failed release back: the failure is what a reader of its hint looks for.
 * @param releases newest first
 */
export function failureBehind(releases: readonly Release[], { app, at, cause }: End): string[] {
  const atMs = Date.parse(at);
  const during = releases.find(
    ({ startedAt, endedAt, steps }) =>
      Date.parse(startedAt) <= atMs + 999 &&
      (endedAt === null || atMs <= Date.parse(endedAt)) &&
      steps.some((step) => hasTouched(step, app)),
  );
  if (cause !== "svcm" || during?.failure === undefined) return [];
  const how = during.outcome === "half" ? "failed half-way" : "failed and was taken back";
  return [`${releaseText(during)} ${how}: ${during.failure.reason}`];
}

/** After a rollback, the code is that of an earlier deploy. */
function releaseText(release: Release): string {
  const { id, deploy, git, undoes } = release;
  if (deploy === undefined || git === null || undoes !== undefined) return `The release ${id}`;
  return `The deploy of ${git.commit.slice(0, 7)} (${deploy.subject}) by ${callerText(release)}, release ${id},`;
}

function applied(outcome: Release["outcome"]): string {
  if (outcome === "applied") return "";
  if (outcome === "running") return "is not finished and ";
  return outcome === "half" ? "failed half-way and " : "failed, was taken back and ";
}

function hasTouched({ app: name, phase, do: kind }: Release["steps"][number], app: string | null): boolean {
  return name === app && phase !== "not-begun" && kind !== "preflight" && kind !== "save";
}

/**
 * The newest write of env values by svcm. The process may have read them at its last start.
 * @param audit newest first
 */
export function writeBefore(
  audit: readonly AuditRecord[],
  { at, cause }: End,
  environment: string | undefined,
): string[] {
  if (isBlameless(cause)) return [];
  const endMs = Date.parse(at) + 999;
  const write = audit.find(
    (one) =>
      one.action === "env.write" &&
      one.outcome === "succeeded" &&
      (one.keys ?? []).length > 0 &&
      (environment === undefined || one.environment === undefined || one.environment === environment) &&
      Date.parse(one.timestamp) <= endMs,
  );
  if (write === undefined) return [];
  const ageMs = Math.max(0, endMs - 999 - Date.parse(write.timestamp));
  if (ageMs > DAY_MS) return [];
  const { keys = [] } = write;
  const names = nameList(keys, MAX_KEYS);
  const where = write.environment === undefined ? "" : ` in ${write.environment}`;
  return [`svcm changed ${names}${where} ${renderDuration(ageMs)} before this end, by ${callerText(write)}.`];
}

export function isUnrequested({ kind, cause }: Pick<SvcmEvent, "kind" | "cause">): boolean {
  return kind === "exit" || cause === "memory-limit";
}

/** PM2 leaves a process alone after one of its `stop_exit_codes`, which its app chose. */
export function asDeclared(event: SvcmEvent, state: Pick<ProcessState, "name" | "reason"> | undefined): SvcmEvent {
  const { name, reason = null } = state ?? {};
  if (event.cause !== "crash" || event.exitCode === undefined || name !== "ended" || reason === null) return event;
  const others = event.evidence.filter((sentence) => !sentence.startsWith("It ended with exit code "));
  return { ...event, cause: "exit", evidence: [`It ended ${reason}.`, ...others] };
}

const ERROR_LINES = 3;
/** Includes lines of the other instances, and stacks. */
const MAX_LINES = 80;
const MAX_LINE_LENGTH = 200;
/** An app writes its last error at most this long before PM2 logs its end. */
const OLD_MS = 5000;

export interface ErrorLog {
  /** Null if the log has no line that may belong to the end. */
  readonly reason: string | null;
  /** The other last lines, oldest first. */
  readonly lines: readonly string[];
  /** The lines as they are. */
  readonly texts: readonly string[];
  /** Why lines are missing, if they may exist, and which error another log has. */
  readonly problems: readonly string[];
}

interface ReasonRequest {
  readonly process: ProcessRecord | undefined;
  readonly event: SvcmEvent | null;
  readonly isAllowed: boolean;
}

/** Without secrets. If the log cannot be read, the cause is still shown. */
export async function readReason(
  ports: HasLogs & HasProcessLogs,
  { process, event, isAllowed }: ReasonRequest,
): Promise<ErrorLog> {
  if (process === undefined || !isAllowed) return { reason: null, lines: [], texts: [], problems: [] };
  const read = ports.logs.read({ app: process.name, ...errorsOnly(process), limit: MAX_LINES, isBounded: true });
  const {
    lines: all,
    older,
    problems: told,
  } = await read.catch((error: unknown) => ({
    lines: [],
    older: null,
    problems: [{ details: describeError(error).body.details ?? "The error log cannot be read." }],
  }));
  const problems = [...new Set(told.map(({ details }) => details))];
  const own = all.filter(({ pmId }) => pmId === null || pmId === process.pmId);
  const lines = own.flatMap(({ text, level, at: time }) =>
    text.split("\n").map((line, at): ReasonLine => {
      const isError = at === 0 && (level === "error" || level === "fatal");
      return { text: cut(line), isError, atMs: timeOf(time) };
    }),
  );
  const tail = await ports.processLogs.readErrorTail(process).catch(() => undefined);
  const writtenMs = tail?.writtenMs ?? timeOf(own.at(-1)?.at);
  const block = lastErrorBlock(lines, older !== null);
  const texts = lines.map(({ text }) => text);
  const isEnd = event?.kind === "exit" && !isOlder(writtenMs, event);
  const { reason } = lastErrorBlock(isEnd ? linesUpTo(event, lines, writtenMs) : []);
  if (reason === undefined) {
    const notes = [...problems, ...(await errorsInOutput(ports, process, event))];
    return { reason: null, lines: block.lines.slice(-ERROR_LINES), texts, problems: notes };
  }
  const isReason = (line: string): boolean => line === reason || line.startsWith(`${reason} (`);
  const counted = block.lines.findLast(isReason) ?? reason;
  return { reason: counted, lines: block.lines.filter((line) => !isReason(line)).slice(-ERROR_LINES), texts, problems };
}

/** In a file of both streams, only the level of a line shows that it is an error. */
function errorsOnly({ logFiles }: ProcessRecord): Pick<LogQuery, "level" | "stream"> {
  return logFiles !== undefined && logFiles.error === logFiles.out ? { level: "error" } : { stream: "err" };
}

/** Loggers such as pino write errors there, too. Only a line with a time is known to be of this end. */
async function errorsInOutput(
  { logs }: HasLogs,
  { name, pmId }: ProcessRecord,
  event: SvcmEvent | null,
): Promise<string[]> {
  if (event?.kind !== "exit") return [];
  const endMs = Date.parse(event.at);
  const query = { app: name, stream: "out", level: "error", since: endMs - OLD_MS, limit: MAX_LINES } as const;
  const { lines } = await logs.read({ ...query, isBounded: true }).catch(() => ({ lines: [] }));
  // PM2's log has seconds.
  const isBefore = (at: string | null): boolean => (timeOf(at) ?? Infinity) < endMs + 1000;
  const last = lines.findLast((line) => (line.pmId === null || line.pmId === pmId) && isBefore(line.at));
  return last === undefined ? [] : [`The last error in its output log: ${cut(last.text.split("\n", 1).join(""))}`];
}

interface ReasonLine {
  readonly text: string;
  readonly isError: boolean;
  readonly atMs: number | undefined;
}

/** A later run goes on in the same log. Without times, only Node.js's last line before it ends separates the two. */
function linesUpTo(event: SvcmEvent, lines: readonly ReasonLine[], writtenMs = 0): readonly ReasonLine[] {
  const endMs = Date.parse(event.at) + OLD_MS;
  if (writtenMs <= endMs) return lines;
  const next = lines.findIndex(({ atMs = 0 }) => atMs > endMs);
  return lines.slice(0, next === -1 ? lines.findLastIndex(({ text }) => LAST_OF_UNCAUGHT.test(text)) + 1 : next);
}

function timeOf(at: string | null | undefined): number | undefined {
  return at === null || at === undefined ? undefined : Date.parse(at);
}

function isOlder(writtenMs: number | undefined, { at }: SvcmEvent): boolean {
  return writtenMs !== undefined && writtenMs < Date.parse(at) - OLD_MS;
}

function cut(line: string): string {
  return cutText(line, MAX_LINE_LENGTH);
}
