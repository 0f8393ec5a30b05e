/** The stream of events on the NATS server: JetStream in the words of the fleet. */
import {
  DeliverPolicy,
  DiscardPolicy,
  jetstream,
  JetStreamApiError,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type ConsumerMessages,
  type JetStreamClient,
  type JetStreamManager,
  type OrderedConsumerOptions,
} from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { askRefusal } from "./link-refusals.ts";
import type { StreamLimits } from "./events/limits.ts";
import { EVENTS_STREAM, eventsOf, nodeOfEvents } from "./subjects.ts";

const TIMEOUT_MS = 5_000;
const AT_ONCE = 1_000;
/** A repetition within this time is dropped by its id alone. */
const DUPLICATES_MS = 120_000;
const NANOS = 1_000_000;
const WRONG_LAST_SEQUENCE = 10_071;
const STREAM_NOT_FOUND = 10_059;

export interface Stored {
  readonly node: string;
  readonly seq: number;
  /** By the clock of the server, in milliseconds since 1970. */
  readonly storedMs: number;
  readonly data: Uint8Array;
  /** Messages that follow in the stream at that time. */
  readonly left: number;
}

export interface EventStream {
  /** `undefined` if it does not exist. @throws {SvcmError} FLEET_FAILED; FORBIDDEN if it does not permit the question */
  state(): Promise<StreamState | undefined>;
  /** Creates the stream, or gives it these limits. Only an admin may. */
  setUp(limits: StreamLimits): Promise<"created" | "changed" | "unchanged">;
  /** The newest message of the node; `undefined` if there is not one. */
  last(node: string): Promise<Omit<Stored, "left"> | undefined>;
  /**
   * Stores a message after the message `afterSeq` of the node, which is 0 for the first, and resolves with its number.
   * @throws {WrongOrder} if another message is the node's newest
   */
  append(node: string, id: string, data: Uint8Array, afterSeq: number): Promise<number>;
  /** The messages since a time of the server; those to come as well, until the signal is aborted. */
  read(wanted: Wanted, signal: AbortSignal): AsyncGenerator<Stored>;
}

export interface Wanted {
  readonly node: string;
  readonly sinceMs: number;
  readonly most: number;
  readonly isFollowed: boolean;
}

export interface StreamState {
  /** When the oldest message was stored, in milliseconds since 1970. */
  readonly firstMs: number;
  /** True if older messages were dropped. */
  readonly hasDropped: boolean;
  /** The most messages of one node. */
  readonly maxPerNode: number;
}

export class WrongOrder extends Error {}

export function eventStream(connection: NatsConnection): EventStream {
  const client = jetstream(connection, { timeout: TIMEOUT_MS });
  let opened: Promise<JetStreamManager> | undefined;
  const manager = (): Promise<JetStreamManager> =>
    (opened ??= jetstreamManager(connection, { checkAPI: false, timeout: TIMEOUT_MS }));
  return {
    async state() {
      const info = await (await manager()).streams.info(EVENTS_STREAM).catch(ifMissing);
      if (info === undefined) return undefined;
      const { state, config } = info;
      const { first_seq, first_ts } = state;
      return {
        firstMs: Date.parse(first_ts),
        hasDropped: first_seq > 1,
        maxPerNode: config.max_msgs_per_subject,
      };
    },
    setUp: async (limits) => setUp(await manager(), limits),
    async last(node) {
      const found = await (await manager()).direct.getMessage(EVENTS_STREAM, { last_by_subj: eventsOf(node) });
      return found === null ? undefined : { node, seq: found.seq, storedMs: found.time.getTime(), data: found.data };
    },
    async append(node, id, data, afterSeq) {
      try {
        const expect = { streamName: EVENTS_STREAM, lastSubjectSequence: afterSeq };
        return (await client.publish(eventsOf(node), data, { msgID: `${node}.${id}`, expect, timeout: TIMEOUT_MS }))
          .seq;
      } catch (error) {
        throw error instanceof JetStreamApiError && error.code === WRONG_LAST_SEQUENCE
          ? new WrongOrder(error.message)
          : error;
      }
    },
    read: (wanted, signal) => readFrom(client, wanted, signal),
  };
}

async function setUp({ streams }: JetStreamManager, limits: StreamLimits): ReturnType<EventStream["setUp"]> {
  const present = await streams.info(EVENTS_STREAM).catch(ifMissing);
  const wanted = configOf(limits);
  try {
    if (present === undefined) {
      await streams.add({ ...SHAPE, ...wanted });
      return "created";
    }
    const isSame = Object.entries(wanted).every(([name, value]) => Reflect.get(present.config, name) === value);
    if (isSame) return "unchanged";
    await streams.update(EVENTS_STREAM, { ...present.config, ...wanted });
    return "changed";
  } catch (error) {
    throw askRefusal(error);
  }
}

async function* readFrom(
  client: JetStreamClient,
  { node, sinceMs, most, isFollowed }: Wanted,
  signal: AbortSignal,
): AsyncGenerator<Stored> {
  const from: Partial<OrderedConsumerOptions> = {
    filter_subjects: eventsOf(node),
    deliver_policy: DeliverPolicy.StartTime,
    opt_start_time: new Date(Math.max(0, sinceMs)).toISOString(),
  };
  const consumer = await client.consumers.get(EVENTS_STREAM, from);
  const { num_pending } = await consumer.info(true);
  if (num_pending === 0 && !isFollowed) return;
  let skipped = num_pending - most;
  const messages = await consumer.consume({ max_messages: AT_ONCE });
  const stop = (): void => messages.stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const stored of storedIn(messages)) {
      if (skipped-- <= 0) yield stored;
      if (stored.left === 0 && !isFollowed) return;
    }
  } finally {
    signal.removeEventListener("abort", stop);
    await messages.close();
  }
}

const SHAPE = {
  name: EVENTS_STREAM,
  subjects: [eventsOf("*")] as string[],
  retention: RetentionPolicy.Limits,
  storage: StorageType.File,
  // The newest records are worth more than the oldest, and a full stream must not stop a node.
  discard: DiscardPolicy.Old,
  duplicate_window: DUPLICATES_MS * NANOS,
  allow_direct: true,
  deny_delete: true,
  deny_purge: true,
};

function configOf({ maxAgeMs, maxBytes, maxPerNode }: StreamLimits) {
  return { max_age: maxAgeMs * NANOS, max_bytes: maxBytes, max_msgs_per_subject: maxPerNode };
}

async function* storedIn(messages: ConsumerMessages): AsyncGenerator<Stored> {
  for await (const { subject, seq, time, data, info } of messages) {
    const node = nodeOfEvents(subject);
    if (node !== undefined) yield { node, seq, storedMs: time.getTime(), data, left: info.pending };
  }
}

/** @throws {SvcmError} as `askRefusal`, unless the stream does not exist */
function ifMissing(error: unknown): undefined {
  if (error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND) return undefined;
  throw askRefusal(error);
}
