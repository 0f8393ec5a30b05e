import type { HasHost } from "../files/ports.ts";
import type { EventsPorts } from "./ports.ts";
import type { AuditRecord } from "../api/audit-record.ts";
import type { SvcmEvent } from "../api/events.ts";
import { type TimedEvent, recordedEvents } from "./attribute-events.ts";
import { collectEvents } from "./collect-events.ts";
import { toSvcmEvent } from "./page.ts";

/** A record may be appended this late, and a clock may be set back by this much. */
const OVERLAP_MS = 5 * 60_000;
const FIRST_MS = 86_400_000;
const MAX_BATCH = 1_000;
const MAX_AUDIT_RECORDS = 100_000;
const ID_LENGTH = 22;

export interface NodeRecord {
  /** The same at every computation, in any process. */
  readonly id: string;
  readonly event?: SvcmEvent | undefined;
  readonly audit?: AuditRecord | undefined;
}

/** Every record older than `untilMs` was sent, and so were those with these ids. */
export interface DeliveryProgress {
  readonly untilMs: number;
  readonly ids: readonly string[];
}

export interface Unsent {
  readonly records: readonly NodeRecord[];
  readonly after: DeliveryProgress;
  readonly hasMore: boolean;
}

interface Dated extends NodeRecord {
  readonly atMs: number;
}

/**
 * The logs are read again from before the last time: a record may be appended late.
 * @throws {SvcmError} EVENTS_FAILED, AUDIT_FAILED
 */
export async function readUnsent(
  ports: EventsPorts,
  before: DeliveryProgress | undefined,
  untilMs: number,
  signal: AbortSignal,
): Promise<Unsent> {
  // Otherwise nothing would be sent until the old time is reached again.
  const doneMs = Math.min(before?.untilMs ?? untilMs - FIRST_MS, untilMs);
  const fromMs = doneMs - OVERLAP_MS;
  const { events } = await collectEvents(ports, fromMs, signal);
  const { records } = await ports.audit.newest({ limit: MAX_AUDIT_RECORDS, since: fromMs }, signal);
  const all = [...eventRecords(events, ports.host), ...records.toReversed().map(toAuditRecord)];
  const settled = all.filter(({ atMs }) => atMs < untilMs).toSorted((a, b) => a.atMs - b.atMs);
  return takeBatch(settled, new Set(before?.ids), untilMs);
}

function takeBatch(settled: readonly Dated[], sentIds: Set<string>, untilMs: number): Unsent {
  const waiting = settled.filter(({ id }) => !sentIds.has(id));
  const records = waiting.slice(0, MAX_BATCH);
  const hasMore = waiting.length > records.length;
  const doneMs = hasMore ? (records.at(-1)?.atMs ?? untilMs) : untilMs;
  for (const { id } of records) sentIds.add(id);
  const near = settled.filter(({ id, atMs }) => atMs >= doneMs - OVERLAP_MS && sentIds.has(id));
  return {
    records: records.map(({ atMs: _atMs, ...record }) => record),
    after: { untilMs: doneMs, ids: near.map(({ id }) => id) },
    hasMore,
  };
}

/** PM2's log does not number events. An id is derived from what later lines cannot change. */
function eventRecords(events: readonly TimedEvent[], host: HasHost["host"]): Dated[] {
  const counts = new Map<string, number>();
  return events
    .filter(({ event }) => !hasAuditRecord(event))
    .toReversed()
    .map((timedEvent) => {
      const { atMs, event } = timedEvent;
      const what = event.kind === "start" || event.kind === "daemon" ? event.kind : "end";
      const name = JSON.stringify([atMs, event.app, event.pmId, what]);
      const place = counts.get(name) ?? 0;
      counts.set(name, place + 1);
      const id = host.digest(new TextEncoder().encode(`${name}${place}`)).slice(0, ID_LENGTH);
      return { id, atMs, event: toSvcmEvent(timedEvent) };
    });
}

/** The audit record is sent instead. */
function hasAuditRecord({ kind }: TimedEvent["event"]): boolean {
  return kind === "action" || kind === "write" || kind === "apply";
}

function toAuditRecord(audit: AuditRecord): Dated {
  return { id: `${audit.id}.${audit.outcome}`, atMs: Date.parse(audit.timestamp), audit };
}

export interface SentRecord extends NodeRecord {
  readonly node: string;
  /** The clock of the node is ahead of the server's by this much. */
  readonly aheadMs: number;
}

const SAME_CLOCK_MS = 2_000;

/**
 * Newest first, on the clock of the server. An audit record is left out if an event shows the same change, or if a
 * later record has its outcome.
 * @param records in the order in which they arrived
 */
export function mergeNodeRecords(records: readonly SentRecord[]): TimedEvent[] {
  const explained = new Set(records.flatMap(({ node, event }) => (event?.auditId ? `${node} ${event.auditId}` : [])));
  const attempts = new Map(records.flatMap((one) => (one.audit ? [[`${one.node} ${one.audit.id}`, one]] : [])));
  const timedEvents = records.flatMap((record): TimedEvent[] => {
    if (record.audit === undefined) return toTimedEvents(record);
    const key = `${record.node} ${record.audit.id}`;
    return explained.has(key) || attempts.get(key) !== record ? [] : toTimedEvents(record);
  });
  return timedEvents.toSorted((a, b) => b.atMs - a.atMs);
}

export function toTimedEvents({ node, aheadMs, event, audit }: SentRecord): TimedEvent[] {
  const own = audit === undefined ? (event ? [toTimedEvent(event)] : []) : recordedEvents(audit);
  if (Math.abs(aheadMs) < SAME_CLOCK_MS) return own.map((one) => ({ ...one, event: { ...one.event, node } }));
  const seconds = Math.round(aheadMs / 1000);
  const difference = `${Math.abs(seconds)} s ${seconds > 0 ? "ahead of" : "behind"}`;
  const note = `The clock of ${node} is ${difference} the server's; the time here is the server's.`;
  return own.map((one) => ({
    atMs: one.atMs - seconds * 1000,
    event: { ...one.event, node, evidence: [...one.event.evidence, note] },
  }));
}

function toTimedEvent({ at, ...event }: SvcmEvent): TimedEvent {
  return { atMs: Date.parse(at), event };
}
