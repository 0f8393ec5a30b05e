/** The events of several nodes: from the stream if there is one, and from each node otherwise. */
import {
  eventsList,
  happenedOnNodes,
  happeningsOf,
  isWanted,
  matching,
  pageOf,
  selectNodes,
  SvcmError,
  timed,
  type FleetEventsResponse,
  type SentRecord,
  type SvcmEvent,
} from "../../core/index.ts";
import type { EventsAsked, KnownNode, NodesAsker, Patience } from "../fleet.ts";
import type { EventStream, StreamState } from "../link-events.ts";
import { stateOf } from "../nodes.ts";
import { recordOf } from "./message.ts";

const DEFAULT_LIMIT = 50;
const DAY_MS = 86_400_000;
/** The clocks of the asker and the server, and the way of a record to the server. */
const MARGIN_MS = 60_000;
const MOST = 100_000;

export interface Asking {
  readonly fleet: NodesAsker;
  readonly stream: EventStream;
}

/** @throws {SvcmError} INVALID_REQUEST for a node that is not declared, FLEET_FAILED */
export async function listEvents(asking: Asking, asked: EventsAsked, how: Patience): Promise<FleetEventsResponse> {
  const nodes = await selected(asking.fleet, asked.nodes);
  const since = asked.since ?? Date.now() - DAY_MS;
  const state = await stateOrNone(asking.stream);
  if (state === undefined) return await askedEvents(asking, nodes, { ...asked, since }, how);
  const { records, isWhole } = await recordsSince(asking.stream, state, nodes, since);
  const happenings = matching(happenedOnNodes(records), asked).filter(({ atMs }) => atMs >= since);
  const away = nodes.filter(({ presence }) => presence === undefined);
  return {
    ...pageOf(happenings, asked.limit ?? DEFAULT_LIMIT, asked.cursor),
    complete: isWhole,
    missing: away.map(({ name }) => ({ node: name, state: "away" as const })),
  };
}

/**
 * The events of the nodes since a time, and then each new one as it arrives, until the signal is aborted.
 * @throws {SvcmError} FLEET_FAILED if the server has no stream
 */
export async function* followEvents(
  { fleet, stream }: Asking,
  asked: EventsAsked,
  signal: AbortSignal,
): AsyncGenerator<SvcmEvent> {
  const nodes = await selected(fleet, asked.nodes);
  if ((await stateOrNone(stream)) === undefined)
    throw new SvcmError("FLEET_FAILED", {
      code: "STREAM_MISSING",
      details: "The NATS server has no stream of events. svcm nats setup makes it.",
    });
  const since = asked.since ?? Date.now();
  const explained = new Set<string>();
  const wanted = { node: subjectFor(nodes), sinceMs: since - MARGIN_MS, most: MOST, isFollowed: true };
  for await (const stored of stream.read(wanted, signal)) {
    const record = nodes.some(({ name }) => name === stored.node) ? recordOf(stored) : undefined;
    if (record === undefined || !isNews(record, explained)) continue;
    for (const happening of happeningsOf(record))
      if (happening.atMs >= since && isWanted(happening.event, asked)) yield timed(happening);
  }
}

/** False for the beginning of a change, and for a change that an event shows. */
function isNews({ node, event, audit }: SentRecord, explained: Set<string>): boolean {
  if (event?.auditId !== undefined) explained.add(`${node} ${event.auditId}`);
  return audit === undefined || (audit.outcome !== "started" && !explained.has(`${node} ${audit.id}`));
}

async function selected(fleet: Asking["fleet"], selectors: readonly string[]): Promise<readonly KnownNode[]> {
  const declared = (await fleet.nodes()).filter(({ isDeclared }) => isDeclared);
  return selectNodes(declared, selectors);
}

/** A server whose permissions are those of an older svcm does not permit the question. */
async function stateOrNone(stream: EventStream): Promise<StreamState | undefined> {
  try {
    return await stream.state();
  } catch (error) {
    if (error instanceof SvcmError && error.kind === "FORBIDDEN") return undefined;
    throw error;
  }
}

async function recordsSince(
  stream: EventStream,
  { hasDropped, firstMs, maxPerNode }: StreamState,
  nodes: readonly KnownNode[],
  since: number,
): Promise<{ readonly records: SentRecord[]; readonly isWhole: boolean }> {
  const counts = new Map(nodes.map(({ name }) => [name, 0]));
  const records: SentRecord[] = [];
  let isWhole = !(hasDropped && firstMs > since);
  let count = 0;
  const wanted = { node: subjectFor(nodes), sinceMs: since - MARGIN_MS, most: MOST, isFollowed: false };
  for await (const stored of stream.read(wanted, new AbortController().signal)) {
    count += 1;
    const ofNode = counts.get(stored.node);
    if (ofNode === undefined) continue;
    counts.set(stored.node, ofNode + 1);
    const record = recordOf(stored);
    if (record === undefined) isWhole = false;
    else records.push(record);
  }
  // A node with as many may have had more in this time.
  const isFull = [...counts.values()].some((ofNode) => ofNode >= maxPerNode);
  return { records, isWhole: isWhole && !isFull && count < MOST };
}

/** A server before 2.10 takes one filter. */
function subjectFor(nodes: readonly KnownNode[]): string {
  return nodes.length === 1 ? (nodes[0]?.name ?? "*") : "*";
}

/** The answers of the nodes as one list. */
async function askedEvents(
  { fleet }: Asking,
  nodes: readonly KnownNode[],
  { nodes: _selectors, apps, cursor, limit = DEFAULT_LIMIT, ...filter }: EventsAsked,
  { deadlineMs, version }: Patience,
): Promise<FleetEventsResponse> {
  const missing: FleetEventsResponse["missing"][number][] = [];
  let isComplete = true;
  const answers = await Promise.all(
    nodes.map(async ({ name, presence }) => {
      try {
        const answer = await fleet.ask(name, eventsList, { apps: [...apps], ...filter, limit: 1000 }, deadlineMs);
        isComplete &&= answer.complete && answer.next === null;
        return answer.events.map(({ at, ...event }) => ({ atMs: Date.parse(at), event: { ...event, node: name } }));
      } catch (error) {
        if (error instanceof SvcmError && error.kind === "PROCESS_NOT_FOUND") return [];
        const state = stateOf(error, presence, version);
        if (state !== "answered") missing.push({ node: name, state });
        return [];
      }
    }),
  );
  const events = answers.flat().toSorted((a, b) => b.atMs - a.atMs);
  return { ...pageOf(events, limit, cursor), complete: isComplete, missing };
}
