import type { StreamApi } from "./link-api.ts";
import type { WrittenRecord } from "../core/nodes/rollout.ts";
import { NODES_STREAM, presenceSubject, rolloutStream, rolloutSubject } from "./subjects.ts";

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
