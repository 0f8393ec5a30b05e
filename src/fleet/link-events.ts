import { setTimeout as pause } from "node:timers/promises";
import { type Query, type Stored, type StreamApi, isUnreachable, unreachableError } from "./link-api.ts";
import {
  EVENTS_STREAM,
  eventSubject,
  parseEventNode,
  NODES_STREAM,
  presenceSubject,
  rolloutStream,
  rolloutSubject,
} from "./subjects.ts";
import type { WrittenRecord } from "../core/nodes/rollout.ts";

const FOLLOW_INTERVAL_MS = 1_000;
/** Limits the concurrent requests, and the number ranges that they read. */
const MAX_CONCURRENT = 32;
const RANGE_LENGTH = 256;

export interface StoredMessage {
  readonly node: string;
  readonly seq: number;
  /** By the clock of the server, in milliseconds since 1970. */
  readonly storedAtMs: number;
  readonly data: Uint8Array;
}

/** All throw FLEET_FAILED, with FLEET_NOT_SET_UP if there is no stream; FORBIDDEN if the server does not permit it. */
export interface EventStream {
  state(): Promise<StreamState>;
  /** `undefined` if there is no message of the node. */
  last(node: string): Promise<StoredMessage | undefined>;
  /**
   * Stores a message after the node's message `afterSeq` (0 for the first) and returns its number. Fails if another
   * message is the node's newest.
   */
  append(node: string, data: Uint8Array, afterSeq: number): Promise<number>;
  /** Yields messages since a time of the server, then new ones. */
  read(request: ReadRequest, signal: AbortSignal): AsyncGenerator<StoredMessage>;
}

export interface ReadRequest {
  readonly node: string;
  readonly sinceMs: number;
  readonly limit: number;
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

export function eventStream(api: StreamApi): EventStream {
  const message = async (query: Query): Promise<StoredMessage | undefined> =>
    toStoredMessage(await api.get(EVENTS_STREAM, query));
  const state = async (): Promise<StreamState> => {
    const { state: now, config } = await api.requireInfo(EVENTS_STREAM);
    const { first_seq, last_seq, first_ts } = now;
    const maxPerNode = Number(config["max_msgs_per_subject"]);
    return {
      firstSeq: first_seq,
      lastSeq: last_seq,
      firstMs: Date.parse(first_ts),
      hasDropped: first_seq > 1,
      maxPerNode,
    };
  };
  return {
    state,
    last: (node) => message({ last_by_subj: eventSubject(node) }),
    async append(node, data, afterSeq) {
      // Without an id, because all nodes share the ids of a stream: another node's would hide this message.
      const seq = await api.store(EVENTS_STREAM, eventSubject(node), data, { inSubject: afterSeq });
      if (seq === undefined) throw unreachableError("Another message of the node is the newest one.");
      return seq;
    },
    read: ({ node, ...request }, signal) => {
      const next = (seq: number) => message({ seq, next_by_subj: eventSubject(node) });
      return readFrom({ next, state }, request, signal);
    },
  };
}

interface Source {
  readonly next: (seq: number) => Promise<StoredMessage | undefined>;
  readonly state: EventStream["state"];
}

async function* readFrom(
  source: Source,
  { sinceMs, limit, isFollowed, state }: Omit<ReadRequest, "node">,
  signal: AbortSignal,
): AsyncGenerator<StoredMessage> {
  const { firstSeq, lastSeq } = state ?? (await source.state());
  const from = await findFirstSince(source, [firstSeq, lastSeq + 1], sinceMs);
  yield* await readNewest(source, [from, lastSeq + 1], limit);
  if (!isFollowed) return;
  let seq = lastSeq + 1;
  while (!signal.aborted) {
    const found = await source.next(seq).catch(ignoreUnreachable);
    if (found === undefined) await pause(FOLLOW_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    else {
      seq = found.seq + 1;
      yield found;
    }
  }
}

type Range = readonly [from: number, end: number];

/** Binary search works because numbers and times grow together. */
async function findFirstSince({ next }: Source, [from, end]: Range, sinceMs: number): Promise<number> {
  let [low, high] = [from, end];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = await next(middle);
    if (found === undefined || found.storedAtMs >= sinceMs) high = middle;
    else low = found.seq + 1;
  }
  return low;
}

async function readNewest({ next }: Source, [from, end]: Range, most: number): Promise<StoredMessage[]> {
  const found: StoredMessage[][] = [];
  let count = 0;
  for (let last = end; last > from && count < most; last -= MAX_CONCURRENT * RANGE_LENGTH) {
    const starts = Array.from({ length: MAX_CONCURRENT }, (_, at) => last - (MAX_CONCURRENT - at) * RANGE_LENGTH);
    const walked = await Promise.all(
      starts.map((start) => readRange(next, [Math.max(from, start), start + RANGE_LENGTH])),
    );
    const part = walked.flat();
    count += part.length;
    found.unshift(part);
  }
  return found.flat().slice(-most);
}

async function readRange(next: Source["next"], [from, end]: Range): Promise<StoredMessage[]> {
  const found: StoredMessage[] = [];
  for (let seq = from; seq < end;) {
    const one = await next(seq);
    if (one === undefined || one.seq >= end) break;
    found.push(one);
    seq = one.seq + 1;
  }
  return found;
}

function toStoredMessage(message: Stored | undefined): StoredMessage | undefined {
  const node = message && parseEventNode(message.subject);
  return message === undefined || node === undefined ? undefined : { ...message, node };
}

/** After a reconnect, the server still has the messages sent in the meantime. */
function ignoreUnreachable(error: unknown): undefined {
  if (!isUnreachable(error)) throw error;
}

export interface NodeEntry {
  readonly text: string;
  readonly seq: number;
  /** By the clock of the server, in milliseconds since 1970. */
  readonly storedAtMs: number;
}

/** Without expired entries. All methods throw FLEET_FAILED and FORBIDDEN. */
export interface NodeEntries {
  list(): Promise<ReadonlyMap<string, string>>;
  read(node: string): Promise<NodeEntry | undefined>;
  /** @returns the number of the entry, or `undefined` if the node's newest is not `after`; 0 means none */
  put(node: string, text: string, after: number): Promise<number | undefined>;
}

export function openNodeEntries(api: StreamApi): NodeEntries {
  const read = async (node: string): Promise<NodeEntry | undefined> => {
    const found = await api.get(NODES_STREAM, { last_by_subj: presenceSubject(node) });
    return found && { text: decode(found.data), seq: found.seq, storedAtMs: found.storedAtMs };
  };
  return {
    read,
    async list() {
      const { state } = await api.requireInfo(NODES_STREAM, presenceSubject("*"));
      const prefix = presenceSubject("").length;
      const nodes = Object.keys(state.subjects ?? {}).map((subject) => subject.slice(prefix));
      // An entry may expire between the two steps.
      const entries = await Promise.all(nodes.map(async (node) => [node, (await read(node))?.text] as const));
      return new Map(entries.flatMap(([node, text]) => (text === undefined ? [] : [[node, text] as const])));
    },
    put: (node, text, after) => api.store(NODES_STREAM, presenceSubject(node), text, { inSubject: after }),
  };
}

/** All throw FLEET_FAILED, FORBIDDEN. */
export interface RolloutRecords {
  /** The number of the newest message of the stream; 0 if there is none. */
  lastSeq(environment: string): Promise<number>;
  newest(environment: string, user: string): Promise<WrittenRecord | undefined>;
  /** All that the stream keeps of the user, oldest first. */
  all(environment: string, user: string): Promise<readonly WrittenRecord[]>;
  /** @returns the new number, or `undefined` if the newest message of the stream is not `after` */
  write(environment: string, user: string, text: string, after: number): Promise<number | undefined>;
}

export function openRolloutRecords(api: StreamApi): RolloutRecords {
  const get = async (environment: string, user: string, seq?: number): Promise<WrittenRecord | undefined> => {
    const subject = rolloutSubject(environment, user);
    const query = seq === undefined ? { last_by_subj: subject } : { seq, next_by_subj: subject };
    const found = await api.get(rolloutStream(environment), query);
    return found && { user, seq: found.seq, text: decode(found.data), isExpected: found.isExpected };
  };
  return {
    lastSeq: async (environment) => (await api.requireInfo(rolloutStream(environment))).state.last_seq,
    newest: get,
    async all(environment, user) {
      const records: WrittenRecord[] = [];
      for (let seq = 1; ;) {
        const found = await get(environment, user, seq);
        if (found === undefined) return records;
        records.push(found);
        seq = found.seq + 1;
      }
    },
    write: (environment, user, text, after) =>
      api.store(rolloutStream(environment), rolloutSubject(environment, user), text, { inStream: after }),
  };
}

function decode(data: Uint8Array): string {
  return new TextDecoder().decode(data);
}
