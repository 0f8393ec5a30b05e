import {
  DiscardPolicy,
  JetStreamApiError,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { SvcmError } from "../core/index.ts";
import type { StreamLimits } from "./settings.ts";
import { EVENTS_STREAM, eventSubject, NODES_STREAM, ROLLOUTS_STREAM, bucketSubject } from "./subjects.ts";

/** Counted from the last heartbeat of the node. */
export const PRESENCE_TTL_MS = 30_000;
/** Within this time, the server drops a repeated message by its id alone. */
const DUPLICATE_WINDOW_MS = 120_000;
const NANOS_PER_MS = 1_000_000;
const MIB = 2 ** 20;
const STREAM_NOT_FOUND = 10_059;
/** These settings cannot change after the stream was created. */
const FIXED_SETTINGS: ReadonlySet<string> = new Set(["name", "storage", "retention"]);

/** A request fails at once if there is no connection or if the connection is lost. */
export type Exchange = <T>(send: () => Promise<T>) => Promise<T>;

export type SetUpOutcome = "created" | "changed" | "unchanged";

export async function setUpStreams(connection: NatsConnection, limits: StreamLimits): Promise<SetUpOutcome> {
  const { streams } = await jetstreamManager(connection, { checkAPI: false });
  const outcomes: SetUpOutcome[] = [];
  for (const definition of defineStreams(limits)) {
    const existing = await streams.info(definition.name).catch((error: unknown) => {
      if (hasCode(error, STREAM_NOT_FOUND)) return undefined;
      throw error;
    });
    const changes = Object.entries(definition).filter(
      ([name, value]) =>
        !FIXED_SETTINGS.has(name) &&
        JSON.stringify(Reflect.get(existing?.config ?? {}, name)) !== JSON.stringify(value),
    );
    if (existing === undefined) await streams.add(definition);
    else if (changes.length > 0)
      await streams.update(definition.name, { ...existing.config, ...Object.fromEntries(changes) });
    outcomes.push(existing === undefined ? "created" : changes.length > 0 ? "changed" : "unchanged");
  }
  return (["created", "changed"] as const).find((one) => outcomes.includes(one)) ?? "unchanged";
}

/**
 * The server checks a request to JetStream, but not where its reply goes. So an empty reply, or one that another user
 * has written, could become a request in the name of the server. Therefore no stream allows direct reads or deletions.
 */
const SAFE_SETTINGS = {
  retention: RetentionPolicy.Limits,
  storage: StorageType.File,
  allow_direct: false,
  allow_rollup_hdrs: false,
  deny_delete: true,
  deny_purge: true,
};

type StreamDefinition = Partial<StreamConfig> & Pick<StreamConfig, "name">;

function defineStreams({ maxAgeMs, maxBytes, maxPerNode }: StreamLimits): StreamDefinition[] {
  const bucket = { ...SAFE_SETTINGS, max_msgs_per_subject: 1, discard: DiscardPolicy.New };
  return [
    {
      ...bucket,
      name: NODES_STREAM,
      subjects: [`${bucketSubject(NODES_STREAM)}*`],
      max_age: PRESENCE_TTL_MS * NANOS_PER_MS,
      max_bytes: 16 * MIB,
    },
    { ...bucket, name: ROLLOUTS_STREAM, subjects: [`${bucketSubject(ROLLOUTS_STREAM)}*`], max_bytes: 64 * MIB },
    {
      ...SAFE_SETTINGS,
      name: EVENTS_STREAM,
      subjects: [eventSubject("*")],
      // The newest records matter most, and a full stream must not block a node.
      discard: DiscardPolicy.Old,
      duplicate_window: DUPLICATE_WINDOW_MS * NANOS_PER_MS,
      max_age: maxAgeMs * NANOS_PER_MS,
      max_bytes: maxBytes,
      max_msgs_per_subject: maxPerNode,
    },
  ];
}

/** A missing stream fails with FLEET_NOT_SET_UP, whose message names the remedy. */
export function requireStream(connection: NatsConnection, stream: string, exchange: Exchange): Exchange {
  return (send) =>
    exchange(async () => {
      try {
        return await send();
      } catch (error) {
        if (hasCode(error, STREAM_NOT_FOUND) || (await isStreamMissing(connection, stream))) throw notSetUp();
        throw error;
      }
    });
}

/** False if nothing responds, because the server may still be starting. */
async function isStreamMissing(connection: NatsConnection, stream: string): Promise<boolean> {
  try {
    const { streams } = await jetstreamManager(connection, { checkAPI: false });
    await streams.getMessage(stream, { seq: 1 });
    return false;
  } catch (error) {
    return hasCode(error, STREAM_NOT_FOUND);
  }
}

function notSetUp(): SvcmError {
  return new SvcmError("FLEET_FAILED", {
    code: "FLEET_NOT_SET_UP",
    details:
      "The NATS server is not set up for the nodes, their events and the lock of rollouts. An admin sets it up once: svcm nats setup",
  });
}

export function hasCode(error: unknown, code: number): boolean {
  return error instanceof JetStreamApiError && error.code === code;
}
