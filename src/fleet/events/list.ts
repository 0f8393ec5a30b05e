import {
  mergeNodeRecords,
  toTimedEvents,
  matchesFilter,
  filterEvents,
  paginateEvents,
  selectNodes,
  toSvcmEvent,
  type FleetEventsResponse,
  type SentRecord,
  type SvcmEvent,
  type NodeRecord,
} from "../../core/index.ts";
import type { FleetEventQuery, KnownNode, FleetClient } from "../fleet.ts";
import type { EventStream, StoredMessage } from "../link-events.ts";
import * as z from "zod";
import { auditRecord } from "../../core/api/audit-record.ts";
import { eventBody } from "../../core/api/events.ts";
import { MAX_RECORD_BYTES } from "../link-streams.ts";
import { encode } from "../subjects.ts";

const DEFAULT_LIMIT = 50;
const DAY_MS = 86_400_000;
/** Covers the difference of two clocks, and the travel time of a record. */
const CLOCK_MARGIN_MS = 60_000;
const MAX_RECORDS = 100_000;

export interface EventContext {
  readonly fleet: FleetClient;
  readonly stream: EventStream;
}

/** @throws {SvcmError} INVALID_REQUEST for a node that is not declared, FLEET_FAILED */
export async function listEvents(context: EventContext, query: FleetEventQuery): Promise<FleetEventsResponse> {
  const nodes = await selectDeclared(context.fleet, query.nodes);
  const since = query.since ?? Date.now() - DAY_MS;
  const { records, isComplete } = await readRecordsSince(context.stream, nodes, since);
  const happenings = filterEvents(mergeNodeRecords(records), query).filter(({ atMs }) => atMs >= since);
  const away = nodes.filter(({ presence }) => presence === undefined);
  return {
    ...paginateEvents(happenings, query.limit ?? DEFAULT_LIMIT, query.cursor),
    complete: isComplete,
    missing: away.map(({ name }) => ({ node: name, state: "away" as const })),
  };
}

/**
 * Yields stored events, then each new one.
 * @throws {SvcmError} INVALID_REQUEST for a node that is not declared, FLEET_FAILED
 */
export async function* followEvents(
  { fleet, stream }: EventContext,
  query: FleetEventQuery,
  signal: AbortSignal,
): AsyncGenerator<SvcmEvent> {
  const nodes = await selectDeclared(fleet, query.nodes);
  const since = query.since ?? Date.now();
  const explained = new Set<string>();
  const request = { node: nodeFilter(nodes), sinceMs: since - CLOCK_MARGIN_MS, limit: MAX_RECORDS, isFollowed: true };
  for await (const stored of stream.read(request, signal)) {
    const record = nodes.some(({ name }) => name === stored.node) ? decodeRecord(stored) : undefined;
    if (record === undefined || !isNews(record, explained)) continue;
    for (const happening of toTimedEvents(record))
      if (happening.atMs >= since && matchesFilter(happening.event, query)) yield toSvcmEvent(happening);
  }
}

/** False for the first record of a change, and for a change that an event already shows. */
function isNews({ node, event, audit }: SentRecord, explained: Set<string>): boolean {
  if (event?.auditId !== undefined) explained.add(`${node} ${event.auditId}`);
  return audit === undefined || (audit.outcome !== "started" && !explained.has(`${node} ${audit.id}`));
}

async function selectDeclared(
  fleet: EventContext["fleet"],
  selectors: readonly string[],
): Promise<readonly KnownNode[]> {
  const declared = (await fleet.nodes()).filter(({ isDeclared }) => isDeclared);
  return selectNodes(declared, selectors);
}

async function readRecordsSince(
  stream: EventStream,
  nodes: readonly KnownNode[],
  since: number,
): Promise<{ readonly records: SentRecord[]; readonly isComplete: boolean }> {
  const state = await stream.state();
  const { hasDropped, firstMs, maxPerNode } = state;
  const counts = new Map(nodes.map(({ name }) => [name, 0]));
  const records: SentRecord[] = [];
  let isWhole = !(hasDropped && firstMs > since);
  let count = 0;
  const request = {
    node: nodeFilter(nodes),
    sinceMs: since - CLOCK_MARGIN_MS,
    limit: MAX_RECORDS,
    isFollowed: false,
    state,
  };
  for await (const stored of stream.read(request, new AbortController().signal)) {
    count += 1;
    const ofNode = counts.get(stored.node);
    if (ofNode === undefined) continue;
    counts.set(stored.node, ofNode + 1);
    const record = decodeRecord(stored);
    if (record === undefined) isWhole = false;
    else records.push(record);
  }
  // At this number, older records may have been dropped.
  const isFull = [...counts.values()].some((ofNode) => ofNode >= maxPerNode);
  return { records, isComplete: isWhole && !isFull && count < MAX_RECORDS };
}

/** A server before 2.10 accepts only one filter. */
function nodeFilter(nodes: readonly KnownNode[]): string {
  return nodes.length === 1 ? (nodes[0]?.name ?? "*") : "*";
}

/** A node with another version may send further members, and a faulty node anything. */
const messageSchema = z.object({
  id: z.string().min(1).max(200),
  aheadMs: z.number(),
  event: eventBody.strip().optional(),
  audit: auditRecord.strip().optional(),
});

const TOO_LARGE = "The rest of this record is too large for the NATS server; the node has it.";

/** The stream refuses a larger message; its headers need some room. */
const MAX_BYTES = MAX_RECORD_BYTES - 512;

/** The longest parts of a larger record are removed. */
export function encodeRecord(record: NodeRecord, aheadMs: number): Uint8Array {
  const bytes = encode({ ...record, aheadMs });
  if (bytes.length <= MAX_BYTES) return bytes;
  const { id, event, audit } = record;
  if (event !== undefined) return encode({ id, aheadMs, event: { ...event, evidence: [TOO_LARGE] } });
  const { keys: _keys, processes: _processes, target: _target, ...rest } = audit ?? {};
  return encode({ id, aheadMs, audit: { ...rest, target: TOO_LARGE } });
}

/** @returns `undefined` if the message does not come from svcm */
export function decodeRecord({ node, data }: Pick<StoredMessage, "node" | "data">): SentRecord | undefined {
  try {
    const { id, aheadMs, event, audit } = messageSchema.parse(JSON.parse(new TextDecoder().decode(data)));
    return (event === undefined) === (audit === undefined) ? undefined : { node, id, aheadMs, event, audit };
  } catch {
    return undefined;
  }
}
