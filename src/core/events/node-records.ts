import type { SvcmEvent } from "../api/events.ts";
import { recordedEvents, type TimedEvent } from "./attribute-events.ts";
import type { NodeRecord } from "./unsent.ts";

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
