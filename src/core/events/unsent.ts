import type { AuditRecord } from "../api/audit-record.ts";
import type { SvcmEvent } from "../api/events.ts";
import type { Ports } from "../ports/index.ts";
import type { Happening } from "./audited-events.ts";
import { happened } from "./happened.ts";
import { timed } from "./page.ts";

/** A record may be appended this late, and a clock may be set back by this much. */
const OVERLAP_MS = 5 * 60_000;
const FIRST_MS = 86_400_000;
const MOST_AT_ONCE = 1_000;
const MOST_RECORDS = 100_000;
const ID_LENGTH = 22;

/** An event of PM2's log, or a record of svcm's audit log. */
export interface NodeRecord {
  /** The same at every computation, in any process. */
  readonly id: string;
  readonly event?: SvcmEvent | undefined;
  readonly audit?: AuditRecord | undefined;
}

/** Every record older than `untilMs` was sent, and so were those with these ids. */
export interface GivenOut {
  readonly untilMs: number;
  readonly ids: readonly string[];
}

export interface Unsent {
  readonly records: readonly NodeRecord[];
  readonly after: GivenOut;
  readonly hasMore: boolean;
}

interface Dated extends NodeRecord {
  readonly atMs: number;
}

/**
 * The logs are read again from before the last time: a record may be appended late.
 * @throws {SvcmError} EVENTS_FAILED, AUDIT_FAILED
 */
export async function unsent(
  ports: Ports,
  before: GivenOut | undefined,
  untilMs: number,
  signal: AbortSignal,
): Promise<Unsent> {
  // Otherwise nothing would be sent until the old time is reached again.
  const doneMs = Math.min(before?.untilMs ?? untilMs - FIRST_MS, untilMs);
  const fromMs = doneMs - OVERLAP_MS;
  const { events } = await happened(ports, fromMs, signal);
  const { records } = await ports.audit.newest({ limit: MOST_RECORDS, since: fromMs }, signal);
  const all = [...eventRecords(events, ports.host), ...records.toReversed().map(auditRecordOf)];
  const settled = all.filter(({ atMs }) => atMs < untilMs).toSorted((a, b) => a.atMs - b.atMs);
  return given(settled, new Set(before?.ids), untilMs);
}

function given(settled: readonly Dated[], known: Set<string>, untilMs: number): Unsent {
  const waiting = settled.filter(({ id }) => !known.has(id));
  const records = waiting.slice(0, MOST_AT_ONCE);
  const hasMore = waiting.length > records.length;
  const doneMs = hasMore ? (records.at(-1)?.atMs ?? untilMs) : untilMs;
  for (const { id } of records) known.add(id);
  const near = settled.filter(({ id, atMs }) => atMs >= doneMs - OVERLAP_MS && known.has(id));
  return {
    records: records.map(({ atMs: _atMs, ...record }) => record),
    after: { untilMs: doneMs, ids: near.map(({ id }) => id) },
    hasMore,
  };
}

/** PM2's log does not number events. An id is derived from what later lines cannot change. */
function eventRecords(events: readonly Happening[], host: Ports["host"]): Dated[] {
  const counts = new Map<string, number>();
  return events
    .filter(({ event }) => !isOfAuditAlone(event))
    .toReversed()
    .map((happening) => {
      const { atMs, event } = happening;
      const what = event.kind === "start" || event.kind === "daemon" ? event.kind : "end";
      const name = JSON.stringify([atMs, event.app, event.pmId, what]);
      const place = counts.get(name) ?? 0;
      counts.set(name, place + 1);
      const id = host.digest(new TextEncoder().encode(`${name}${place}`)).slice(0, ID_LENGTH);
      return { id, atMs, event: timed(happening) };
    });
}

/** The audit record is sent instead. */
function isOfAuditAlone({ kind }: Happening["event"]): boolean {
  return kind === "action" || kind === "write" || kind === "apply";
}

function auditRecordOf(audit: AuditRecord): Dated {
  return { id: `${audit.id}.${audit.outcome}`, atMs: Date.parse(audit.timestamp), audit };
}
