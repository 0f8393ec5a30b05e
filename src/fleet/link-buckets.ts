import { jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import { requireStream, type Exchange, hasCode } from "./link-streams.ts";
import {
  NODES_BUCKET,
  NODES_STREAM,
  bucketSubject,
  ROLLOUT_KEY,
  ROLLOUTS_BUCKET,
  ROLLOUTS_STREAM,
} from "./subjects.ts";

/** Without expired entries. All methods throw FLEET_FAILED and FORBIDDEN. */
export interface NodeEntries {
  list(): Promise<ReadonlyMap<string, string>>;
  put(node: string, text: string): Promise<void>;
  /** When the entry was stored, by the clock of the server, in milliseconds since 1970. */
  readStoredMs(node: string): Promise<number | undefined>;
  remove(node: string): Promise<void>;
}

export function openNodeEntries(connection: NatsConnection, exchange: Exchange): NodeEntries {
  const store = () => new Kvm(connection).open(NODES_BUCKET);
  const within = requireStream(connection, NODES_STREAM, exchange);
  return {
    list: () =>
      within(async () => {
        const { streams } = await jetstreamManager(connection, { checkAPI: false });
        const { state } = await streams.info(NODES_STREAM, { subjects_filter: ">" });
        const nodes = Object.keys(state.subjects ?? {}).map((subject) =>
          subject.slice(bucketSubject(NODES_STREAM).length),
        );
        const bucket = await store();
        // An entry may expire between the two steps.
        const entries = await Promise.all(nodes.map(async (node) => [node, await bucket.get(node)] as const));
        return new Map(
          entries.flatMap(([node, entry]) => (entry?.operation === "PUT" ? [[node, entry.string()] as const] : [])),
        );
      }),
    put: (node, text) => within(async () => void (await (await store()).put(node, text))),
    readStoredMs: (node) => within(async () => (await (await store()).get(node))?.created.getTime()),
    remove: (node) => within(async () => (await store()).delete(node)),
  };
}

export interface RolloutRecord {
  /** @returns `undefined` if there is no record @throws {SvcmError} FLEET_FAILED, FORBIDDEN */
  read(): Promise<{ readonly text: string; readonly revision: number } | undefined>;
  /**
   * Replaces only the given revision; 0 means no record.
   * @returns the new revision, or `undefined` if the record has another one
   * @throws {SvcmError} FLEET_FAILED if it is unknown whether the record was replaced, FORBIDDEN
   */
  replace(text: string, revision: number): Promise<number | undefined>;
}

const WRONG_REVISION = 10_071;

export function openRolloutRecord(connection: NatsConnection, exchange: Exchange): RolloutRecord {
  const store = () => new Kvm(connection).open(ROLLOUTS_BUCKET);
  const within = requireStream(connection, ROLLOUTS_STREAM, exchange);
  return {
    read: () =>
      within(async () => {
        const entry = await (await store()).get(ROLLOUT_KEY);
        return entry?.operation === "PUT" ? { text: entry.string(), revision: entry.revision } : undefined;
      }),
    replace: (text, revision) =>
      within(async () => {
        try {
          return await (await store()).put(ROLLOUT_KEY, text, { previousSeq: revision });
        } catch (error) {
          if (hasCode(error, WRONG_REVISION)) return undefined;
          throw error;
        }
      }),
  };
}
