import type { SvcmEvent, WhyResponse } from "../api/events.ts";
import { isGranted, type Caller } from "../caller.ts";
import { SvcmError } from "../errors.ts";
import type { DiskReading, Listener } from "../metrics/reading.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { Ports } from "../ports/index.ts";
import type { Happening } from "./audited-events.ts";
import { newestHappened, type Happened } from "./happened.ts";
import { needsOf } from "./narrow.ts";
import { timed } from "./page.ts";
import { releaseBefore } from "./release-before.ts";
import { counted, withoutStack } from "./stack-lines.ts";
import { symptomsOf } from "./symptoms.ts";
import { unknownName } from "./unknown-name.ts";

const SPAN_MS = 30 * 86_400_000;
const RECENT_MS = 15 * 60_000;
/** The run before the oldest of these is known only with one more event. */
export const LAST_ENDS = 5;
const ERROR_LINES = 3;
/** Includes lines of the other instances, and stacks. */
const MOST_LINES = 50;
const LONGEST_LINE = 200;
const ENDS: ReadonlySet<SvcmEvent["kind"]> = new Set(["exit", "stop", "restart", "delete"]);

type Asking = Pick<Caller, "grants" | "signal">;

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
export async function whyOf(ports: Ports, name: string, { grants, signal }: Asking): Promise<Why> {
  const ownOf = (events: Happened["events"]): Happening[] => events.filter(({ event }) => event.app === name);
  const isEnough = ({ events, fromMs }: Happened): boolean => {
    const [last, ...older] = ownOf(events).filter(({ event }) => ENDS.has(event.kind));
    return last !== undefined && older.length >= LAST_ENDS && last.atMs - RECENT_MS >= fromMs;
  };
  const needs = needsOf({ apps: [name] });
  const span = { sinceMs: ports.clock.now() - SPAN_MS, upToMs: Infinity, isEnough, needs };
  const { events, isComplete } = await newestHappened(ports, span, signal);
  const own = ownOf(events).map(timed);
  const known = await ports.processes.list(signal).catch((error: unknown) => nothingIfAway(error, own));
  const processes = known.filter((record) => record.name === name);
  if (own.length === 0 && processes.length === 0) throw unknownName(name, known);
  const ends = own.filter(({ kind }) => ENDS.has(kind));
  const event = ends[0] ?? null;
  const process = processes.find(({ pmId }) => event === null || pmId === event.pmId);
  const errorLines = process === undefined || !isGranted(grants, "logs") ? [] : await lastErrors(ports, process);
  const listeners = processes.length === 0 ? undefined : await ports.machine.listeners();
  const disks = processes.length === 0 ? [] : await disksOf(ports);
  const release = event !== null && isUnasked(event) ? await releaseBefore(ports, event) : [];
  const symptoms = symptomsOf({ own: processes, all: known, errorLines, listeners: listeners ?? [], disks });
  const statuses = processes.map(({ pmId, status }) => ({ pmId, status }));
  const response = {
    app: name,
    event,
    recentEnds: recentEnds(own, event),
    processes: statuses,
    now: [...release, ...symptoms],
    errorLines: counted(withoutStack(errorLines)).slice(-ERROR_LINES),
    complete: isComplete,
  };
  return { response, ends, processes, listeners };
}

/** If the log does not have the process either, PM2's failure is more useful. */
function nothingIfAway(error: unknown, own: readonly SvcmEvent[]): ProcessRecord[] {
  if (own.length > 0 && error instanceof SvcmError && error.kind === "PM2_FAILED") return [];
  throw error;
}

function recentEnds(own: readonly SvcmEvent[], event: SvcmEvent | null): number {
  if (event === null) return 0;
  const from = Date.parse(event.at) - RECENT_MS;
  return own.filter(({ at, ...one }) => isUnasked(one) && Date.parse(at) >= from).length;
}

function isUnasked({ kind, cause }: Pick<SvcmEvent, "kind" | "cause">): boolean {
  return kind === "exit" || cause === "memory-limit";
}

/** Without secrets. If the log cannot be read, the cause is still shown. */
async function lastErrors(ports: Ports, process: ProcessRecord): Promise<readonly string[]> {
  const read = ports.logs.read({ app: process.name, stream: "err", limit: MOST_LINES, isBounded: true });
  const { lines } = await read.catch(() => ({ lines: [] }));
  return lines
    .filter(({ pmId }) => pmId === null || pmId === process.pmId)
    .map(({ text }) => text.split("\n", 1).join())
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line));
}

async function disksOf({ machine }: Ports): Promise<readonly DiskReading[]> {
  const reader = await machine.openReader();
  try {
    return await reader.disks();
  } finally {
    reader.close();
  }
}
