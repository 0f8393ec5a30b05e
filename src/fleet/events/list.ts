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
} from "../../core/index.ts";
import type { EventsAsked, KnownNode, NodesAsker } from "../fleet.ts";
import type { EventStream } from "../link-events.ts";
import { recordOf } from "./message.ts";

const DEFAULT_LIMIT = 50;
const DAY_MS = 86_400_000;
/** Covers the difference of two clocks, and the travel time of a record. */
const MARGIN_MS = 60_000;
const MOST = 100_000;

export interface Asking {
  readonly fleet: NodesAsker;
  readonly stream: EventStream;
}

/** @throws {SvcmError} INVALID_REQUEST for a node that is not declared, FLEET_FAILED */
export async function listEvents(asking: Asking, asked: EventsAsked): Promise<FleetEventsResponse> {
  const nodes = await selected(asking.fleet, asked.nodes);
  const since = asked.since ?? Date.now() - DAY_MS;
  const { records, isWhole } = await recordsSince(asking.stream, nodes, since);
  const happenings = filterEvents(mergeNodeRecords(records), asked).filter(({ atMs }) => atMs >= since);
  const away = nodes.filter(({ presence }) => presence === undefined);
  return {
    ...paginateEvents(happenings, asked.limit ?? DEFAULT_LIMIT, asked.cursor),
    complete: isWhole,
    missing: away.map(({ name }) => ({ node: name, state: "away" as const })),
  };
}

/**
 * Yields stored events, then each new one.
 *
 * @throws {SvcmError} INVALID_REQUEST for a node that is not declared, FLEET_FAILED
 */
export async function* followEvents(
  { fleet, stream }: Asking,
  asked: EventsAsked,
  signal: AbortSignal,
): AsyncGenerator<SvcmEvent> {
  const nodes = await selected(fleet, asked.nodes);
  const since = asked.since ?? Date.now();
  const explained = new Set<string>();
  const wanted = { node: subjectFor(nodes), sinceMs: since - MARGIN_MS, most: MOST, isFollowed: true };
  for await (const stored of stream.read(wanted, signal)) {
    const record = nodes.some(({ name }) => name === stored.node) ? recordOf(stored) : undefined;
    if (record === undefined || !isNews(record, explained)) continue;
    for (const happening of toTimedEvents(record))
      if (happening.atMs >= since && matchesFilter(happening.event, asked)) yield toSvcmEvent(happening);
  }
}

/** False for the first record of a change, and for a change that an event already shows. */
function isNews({ node, event, audit }: SentRecord, explained: Set<string>): boolean {
  if (event?.auditId !== undefined) explained.add(`${node} ${event.auditId}`);
  return audit === undefined || (audit.outcome !== "started" && !explained.has(`${node} ${audit.id}`));
}

async function selected(fleet: Asking["fleet"], selectors: readonly string[]): Promise<readonly KnownNode[]> {
  const declared = (await fleet.nodes()).filter(({ isDeclared }) => isDeclared);
  return selectNodes(declared, selectors);
}

async function recordsSince(
  stream: EventStream,
  nodes: readonly KnownNode[],
  since: number,
): Promise<{ readonly records: SentRecord[]; readonly isWhole: boolean }> {
  const state = await stream.state();
  const { hasDropped, firstMs, maxPerNode } = state;
  const counts = new Map(nodes.map(({ name }) => [name, 0]));
  const records: SentRecord[] = [];
  let isWhole = !(hasDropped && firstMs > since);
  let count = 0;
  const wanted = { node: subjectFor(nodes), sinceMs: since - MARGIN_MS, most: MOST, isFollowed: false, state };
  for await (const stored of stream.read(wanted, new AbortController().signal)) {
    count += 1;
    const ofNode = counts.get(stored.node);
    if (ofNode === undefined) continue;
    counts.set(stored.node, ofNode + 1);
    const record = recordOf(stored);
    if (record === undefined) isWhole = false;
    else records.push(record);
  }
  // At this number, older records may have been dropped.
  const isFull = [...counts.values()].some((ofNode) => ofNode >= maxPerNode);
  return { records, isWhole: isWhole && !isFull && count < MOST };
}

/** A server before 2.10 accepts only one filter. */
function subjectFor(nodes: readonly KnownNode[]): string {
  return nodes.length === 1 ? (nodes[0]?.name ?? "*") : "*";
}
