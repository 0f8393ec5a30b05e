import type { SvcmEvent, WhyResponse } from "../api/events.ts";
import { isGranted, type Caller } from "../caller.ts";
import { SvcmError } from "../errors.ts";
import type { DiskReading, Listener } from "../metrics/reading.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { Ports } from "../ports/index.ts";
import type { TimedEvent } from "./attribute-events.ts";
import { collectNewestEvents, type CollectedEvents } from "./collect-events.ts";
import { requiredPatterns } from "./filter-patterns.ts";
import { toSvcmEvent } from "./page.ts";
import { findSymptoms } from "./symptoms.ts";
import { unknownNameError } from "./unknown-name.ts";
import type { Release } from "../api/rollout.ts";
import type { Releases } from "../ports/releases.ts";
import { listReleases } from "../rollout/read-releases.ts";
import { renderDuration } from "../words/duration.ts";

const SPAN_MS = 30 * 86_400_000;
const RECENT_MS = 15 * 60_000;
/** The run before the oldest of these is known only with one more event. */
export const LAST_ENDS = 5;
const ERROR_LINES = 3;
/** Includes lines of the other instances, and stacks. */
const MAX_LINES = 50;
const MAX_LINE_LENGTH = 200;
const ENDS: ReadonlySet<SvcmEvent["kind"]> = new Set(["exit", "stop", "restart", "delete"]);

type WhyCaller = Pick<Caller, "grants" | "signal">;

export interface Why {
  readonly response: WhyResponse;
  readonly ends: readonly SvcmEvent[];
  readonly processes: readonly ProcessRecord[];
  readonly listeners: readonly Listener[] | undefined;
}

/**
 * Within 30 days.
 * @throws {SvcmError} EVENTS_FAILED, AUDIT_FAILED; PROCESS_NOT_FOUND if neither the log nor PM2 has the name;
 * PM2_FAILED if the log does not have it and PM2 does not respond
 */
export async function explainEnd(ports: Ports, name: string, { grants, signal }: WhyCaller): Promise<Why> {
  const eventsOfProcess = (events: CollectedEvents["events"]): TimedEvent[] =>
    events.filter(({ event }) => event.app === name);
  const isEnough = ({ events, fromMs }: CollectedEvents): boolean => {
    const [last, ...older] = eventsOfProcess(events).filter(({ event }) => ENDS.has(event.kind));
    return last !== undefined && older.length >= LAST_ENDS && last.atMs - RECENT_MS >= fromMs;
  };
  const required = requiredPatterns({ apps: [name] });
  const { events, isComplete } = await collectNewestEvents(
    ports,
    { sinceMs: ports.clock.now() - SPAN_MS, upToMs: Infinity, isEnough, required },
    signal,
  );
  const own = eventsOfProcess(events).map(toSvcmEvent);
  const listed = await ports.processes.list(signal).catch((error: unknown) => emptyIfLogged(error, own));
  const processes = listed.filter((record) => record.name === name);
  if (own.length === 0 && processes.length === 0) throw unknownNameError(name, listed);
  const ends = own.filter(({ kind }) => ENDS.has(kind));
  const event = ends[0] ?? null;
  const process = processes.find(({ pmId }) => event === null || pmId === event.pmId);
  const errorLines = process === undefined || !isGranted(grants, "logs") ? [] : await lastErrors(ports, process);
  const listeners = processes.length === 0 ? undefined : await ports.machine.listeners();
  const disks = processes.length === 0 ? [] : await readDisks(ports);
  const release = event !== null && isUnrequested(event) ? await releaseBefore(ports, event) : [];
  const symptoms = findSymptoms({ own: processes, all: listed, errorLines, listeners: listeners ?? [], disks });
  const statuses = processes.map(({ pmId, status }) => ({ pmId, status }));
  const response = {
    app: name,
    event,
    recentEnds: recentEnds(own, event),
    processes: statuses,
    now: [...release, ...symptoms],
    errorLines: collapseRepeats(removeStackLines(errorLines)).slice(-ERROR_LINES),
    complete: isComplete,
  };
  return { response, ends, processes, listeners };
}

/** If the log does not have the process either, PM2's failure is more useful. */
function emptyIfLogged(error: unknown, own: readonly SvcmEvent[]): ProcessRecord[] {
  if (own.length > 0 && error instanceof SvcmError && error.kind === "PM2_FAILED") return [];
  throw error;
}

function recentEnds(own: readonly SvcmEvent[], event: SvcmEvent | null): number {
  if (event === null) return 0;
  const from = Date.parse(event.at) - RECENT_MS;
  return own.filter(({ at, ...one }) => isUnrequested(one) && Date.parse(at) >= from).length;
}

function isUnrequested({ kind, cause }: Pick<SvcmEvent, "kind" | "cause">): boolean {
  return kind === "exit" || cause === "memory-limit";
}

/** Without secrets. If the log cannot be read, the cause is still shown. */
async function lastErrors(ports: Ports, process: ProcessRecord): Promise<readonly string[]> {
  const read = ports.logs.read({ app: process.name, stream: "err", limit: MAX_LINES, isBounded: true });
  const { lines } = await read.catch(() => ({ lines: [] }));
  return lines
    .filter(({ pmId }) => pmId === null || pmId === process.pmId)
    .map(({ text }) => text.split("\n", 1).join())
    .map((line) => (line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line));
}

async function readDisks({ machine }: Ports): Promise<readonly DiskReading[]> {
  const reader = await machine.openReader();
  try {
    return await reader.disks();
  } finally {
    reader.close();
  }
}

const DAY_MS = 86_400_000;

/**
 * The release may be the reason although it passed its gate. It is not named if it was a day old, if the process did
 * not end by itself, or if the releases cannot be read.
 */
export async function releaseBefore(
  { releases }: { readonly releases: Pick<Releases, "lockedSince" | "list"> },
  { app, at }: Pick<SvcmEvent, "app" | "at">,
): Promise<string[]> {
  const stored = await listReleases(releases).catch(() => []);
  const endMs = Date.parse(at);
  const changes = stored.filter(({ steps }) => steps.some((step) => hasChanged(step, app)));
  const before = changes.find(({ startedAt }) => Date.parse(startedAt) <= endMs);
  if (before?.outcome !== "applied") return [];
  const { id, endedAt, startedAt } = before;
  const ageMs = endMs - Date.parse(endedAt ?? startedAt);
  if (ageMs > DAY_MS) return [];
  const [newest = before] = changes;
  const next =
    newest === before ? `To undo it: svcm rollback ${id}` : `The release ${newest.id} has changed ${app} since.`;
  return [`The release ${id} was applied ${renderDuration(Math.max(0, ageMs))} before this end. ${next}`];
}

function hasChanged(step: Release["steps"][number], app: string | null): boolean {
  return step.app === app && step.phase === "done" && step.do !== "preflight";
}

/** Stack frames, marker lines below source code, and the lines that Node.js prints around an uncaught system error. */
const STACK_LINE =
  /^\s*(?:(?<=\s)at .+|\^+|[{}\]],?|Node\.js v[\d.]+|(?:errno|code|syscall|address|port|path|dest|spawnargs): .+|node:[\w/]+:\d+|throw er; \/\/ Unhandled 'error' event|Emitted '\w+' event (?:on .+ )?at:)?$/;

export function removeStackLines(lines: readonly string[]): readonly string[] {
  const found = lines.filter((line) => !STACK_LINE.test(line));
  return found.length === 0 ? lines : found;
}

/** Each end of a crash loop writes the same lines. */
export function collapseRepeats(lines: readonly string[]): readonly string[] {
  const runs: { readonly line: string; count: number }[] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    if (last?.line === line) last.count += 1;
    else runs.push({ line, count: 1 });
  }
  return runs.map(({ line, count }) => (count === 1 ? line : `${line} (${count} times)`));
}
