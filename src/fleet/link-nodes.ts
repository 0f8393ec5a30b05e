import { jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import { requireStream, type Exchange } from "./link-streams.ts";
import { NODES_BUCKET, NODES_STREAM, bucketSubject } from "./subjects.ts";

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
        const kept = await store();
        // An entry may expire between the two steps.
        const entries = await Promise.all(nodes.map(async (node) => [node, await kept.get(node)] as const));
        return new Map(
          entries.flatMap(([node, entry]) => (entry?.operation === "PUT" ? [[node, entry.string()] as const] : [])),
        );
      }),
    put: (node, text) => within(async () => void (await (await store()).put(node, text))),
    readStoredMs: (node) => within(async () => (await (await store()).get(node))?.created.getTime()),
    remove: (node) => within(async () => (await store()).delete(node)),
  };
}
