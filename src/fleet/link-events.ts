import { setTimeout as pause } from "node:timers/promises";
import { jetstream, jetstreamManager, type StoredMsg } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { isAway } from "./link-refusals.ts";
import { inStream, type Exchange } from "./link-streams.ts";
import { EVENTS_STREAM, eventsOf, nodeOfEvents } from "./subjects.ts";

const TIMEOUT_MS = 5_000;
const FOLLOW_MS = 1_000;
/** Limits the concurrent requests, and the number ranges that they read. */
const AT_ONCE = 32;
const WALK = 256;

export interface Stored {
  readonly node: string;
  readonly seq: number;
  /** By the clock of the server, in milliseconds since 1970. */
  readonly storedMs: number;
  readonly data: Uint8Array;
}

/** All throw FLEET_FAILED, with FLEET_NOT_SET_UP if there is no stream; FORBIDDEN if the server does not permit it. */
export interface EventStream {
  state(): Promise<StreamState>;
  /** `undefined` if there is no message of the node. */
  last(node: string): Promise<Stored | undefined>;
  /**
   * Stores a message after the node's message `afterSeq` (0 for the first) and returns its number. Fails if another
   * message is the node's newest.
   */
  append(node: string, id: string, data: Uint8Array, afterSeq: number): Promise<number>;
  /** Yields messages since a time of the server, then new ones. */
  read(wanted: Wanted, signal: AbortSignal): AsyncGenerator<Stored>;
}

export interface Wanted {
  readonly node: string;
  readonly sinceMs: number;
  readonly most: number;
  readonly isFollowed: boolean;
  /** Saves a request if the caller has just read it. */
  readonly state?: StreamState;
}

export interface StreamState {
  /** The newest number is below the oldest one if the stream is empty. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** In milliseconds since 1970. */
  readonly firstMs: number;
  readonly hasDropped: boolean;
  readonly maxPerNode: number;
}

export function eventStream(connection: NatsConnection, exchange: Exchange): EventStream {
  const client = jetstream(connection, { timeout: TIMEOUT_MS });
  const within = inStream(connection, EVENTS_STREAM, exchange);
  const managed = () => jetstreamManager(connection, { checkAPI: false, timeout: TIMEOUT_MS });
  const message = (query: Query): Promise<Stored | undefined> =>
    within(async () => storedOf(await (await managed()).streams.getMessage(EVENTS_STREAM, query)));
  const state = (): Promise<StreamState> =>
    within(async () => {
      const { state: now, config } = await (await managed()).streams.info(EVENTS_STREAM);
      const { first_seq, last_seq, first_ts } = now;
      const maxPerNode = config.max_msgs_per_subject;
      const [firstMs, hasDropped] = [Date.parse(first_ts), first_seq > 1];
      return { firstSeq: first_seq, lastSeq: last_seq, firstMs, hasDropped, maxPerNode };
    });
  return {
    state,
    last: (node) => message({ last_by_subj: eventsOf(node) }),
    append: (node, id, data, afterSeq) =>
      within(async () => {
        const expect = { streamName: EVENTS_STREAM, lastSubjectSequence: afterSeq };
        const options = { msgID: `${node}.${id}`, expect, timeout: TIMEOUT_MS };
        return (await client.publish(eventsOf(node), data, options)).seq;
      }),
    read: ({ node, ...wanted }, signal) => {
      const next = (seq: number) => message({ seq, next_by_subj: eventsOf(node) });
      return readFrom({ next, state }, wanted, signal);
    },
  };
}

type Query = { readonly last_by_subj: string } | { readonly seq: number; readonly next_by_subj: string };

interface Source {
  /** Skips missing numbers. */
  readonly next: (seq: number) => Promise<Stored | undefined>;
  readonly state: EventStream["state"];
}

async function* readFrom(
  source: Source,
  { sinceMs, most, isFollowed, state }: Omit<Wanted, "node">,
  signal: AbortSignal,
): AsyncGenerator<Stored> {
  const { firstSeq, lastSeq } = state ?? (await source.state());
  const from = await firstSince(source, [firstSeq, lastSeq + 1], sinceMs);
  yield* await newest(source, [from, lastSeq + 1], most);
  if (!isFollowed) return;
  let seq = lastSeq + 1;
  while (!signal.aborted) {
    const found = await source.next(seq).catch(noneIfAway);
    if (found === undefined) await pause(FOLLOW_MS, undefined, { signal }).catch(() => undefined);
    else {
      seq = found.seq + 1;
      yield found;
    }
  }
}

type Range = readonly [from: number, end: number];

/** Binary search works because numbers and times grow together. */
async function firstSince({ next }: Source, [from, end]: Range, sinceMs: number): Promise<number> {
  let [low, high] = [from, end];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = await next(middle);
    if (found === undefined || found.storedMs >= sinceMs) high = middle;
    else low = found.seq + 1;
  }
  return low;
}

/** In order. Missing numbers cost nothing. */
async function newest({ next }: Source, [from, end]: Range, most: number): Promise<Stored[]> {
  const found: Stored[][] = [];
  let count = 0;
  for (let last = end; last > from && count < most; last -= AT_ONCE * WALK) {
    const starts = Array.from({ length: AT_ONCE }, (_, at) => last - (AT_ONCE - at) * WALK);
    const walked = await Promise.all(starts.map((start) => walk(next, [Math.max(from, start), start + WALK])));
    const part = walked.flat();
    count += part.length;
    found.unshift(part);
  }
  return found.flat().slice(-most);
}

async function walk(next: Source["next"], [from, end]: Range): Promise<Stored[]> {
  const found: Stored[] = [];
  for (let seq = from; seq < end;) {
    const one = await next(seq);
    if (one === undefined || one.seq >= end) break;
    found.push(one);
    seq = one.seq + 1;
  }
  return found;
}

function storedOf(message: StoredMsg | null): Stored | undefined {
  const node = message === null ? undefined : nodeOfEvents(message.subject);
  if (message === null || node === undefined) return undefined;
  return { node, seq: message.seq, storedMs: message.time.getTime(), data: message.data };
}

/** After a reconnect, the server still has the messages sent in the meantime. */
function noneIfAway(error: unknown): undefined {
  if (!isAway(error)) throw error;
}
