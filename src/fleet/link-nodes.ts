import { jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import { inStream, type Exchange } from "./link-streams.ts";
import { NODES_BUCKET, NODES_STREAM, subjectIn } from "./subjects.ts";

/** Without expired entries. All methods throw FLEET_FAILED and FORBIDDEN. */
export interface NodeEntries {
  present(): Promise<ReadonlyMap<string, string>>;
  keep(node: string, text: string): Promise<void>;
  /** When the entry was stored, by the clock of the server, in milliseconds since 1970. */
  keptMs(node: string): Promise<number | undefined>;
  forget(node: string): Promise<void>;
}

export function nodeEntries(connection: NatsConnection, exchange: Exchange): NodeEntries {
  const store = () => new Kvm(connection).open(NODES_BUCKET);
  const within = inStream(connection, NODES_STREAM, exchange);
  return {
    present: () =>
      within(async () => {
        const { streams } = await jetstreamManager(connection, { checkAPI: false });
        const { state } = await streams.info(NODES_STREAM, { subjects_filter: ">" });
        const nodes = Object.keys(state.subjects ?? {}).map((subject) => subject.slice(subjectIn(NODES_STREAM).length));
        const kept = await store();
        // An entry may expire between the two steps.
        const entries = await Promise.all(nodes.map(async (node) => [node, await kept.get(node)] as const));
        return new Map(
          entries.flatMap(([node, entry]) => (entry?.operation === "PUT" ? [[node, entry.string()] as const] : [])),
        );
      }),
    keep: (node, text) => within(async () => void (await (await store()).put(node, text))),
    keptMs: (node) => within(async () => (await (await store()).get(node))?.created.getTime()),
    forget: (node) => within(async () => (await store()).delete(node)),
  };
}
