/** Connections to the NATS server. Only this file and those beside it with its name know the client. */
import {
  connect,
  credsAuthenticator,
  nkeyAuthenticator,
  nkeys,
  tokenAuthenticator,
  type Authenticator,
  type Msg,
  type NatsConnection,
} from "@nats-io/transport-node";
import { StorageType } from "@nats-io/jetstream";
import { Kvm, type KV } from "@nats-io/kv";
import type { SvcmError } from "../core/index.ts";
import { eventStream, type EventStream } from "./link-events.ts";
import { askRefusal, connectRefusal, LOST, unreachable } from "./link-refusals.ts";
import { rolloutRecord, type RolloutRecord } from "./link-rollouts.ts";
import type { FleetSettings } from "./settings.ts";
import { inboxOf, NODES_BUCKET } from "./subjects.ts";

/** The life of a key after the last heartbeat of its node. */
export const PRESENCE_MS = 30_000;
const CONNECT_MS = 5_000;
const RECONNECT_MS = 500;
/** Of a server that does not say. */
const DEFAULT_MAX_BYTES = 2 ** 20;

export interface Incoming {
  readonly subject: string;
  readonly data: Uint8Array;
  respond(bytes: Uint8Array): void;
}

export interface FleetLink {
  /** The most bytes of a message. */
  readonly maxBytes: number;
  /** Calls `take` for each message, until the link is closed. Of several links with the name, one gets each message. */
  serve(subject: string, name: string, take: (message: Incoming) => void): void;
  /** @throws {SvcmError} FLEET_FAILED with NODE_UNREACHABLE or NODE_TIMEOUT, FORBIDDEN */
  ask(subject: string, bytes: Uint8Array, timeoutMs: number): Promise<Uint8Array>;
  /** The texts that the nodes keep, by node; an expired one is not in it. */
  present(): Promise<ReadonlyMap<string, string>>;
  keep(node: string, text: string): Promise<void>;
  /** When the server wrote the text of a node, by its own clock, in milliseconds since 1970. */
  keptMs(node: string): Promise<number | undefined>;
  forget(node: string): Promise<void>;
  readonly events: EventStream;
  readonly rollouts: RolloutRecord;
  /** Calls `heard` with "disconnect", "reconnect" and the like. */
  onStatus(heard: (type: string) => void): void;
  close(): Promise<void>;
}

interface Owner {
  readonly kind: "user" | "node";
  readonly name: string;
}

/** The name in `svcm.yaml` of the public key that belongs to the credentials. */
export function nameOfKey(
  credentials: string | undefined,
  entries: Readonly<Record<string, { readonly nkey?: string | undefined }>>,
): string | undefined {
  const key = publicKeyOf(credentials);
  return key && Object.keys(entries).find((name) => entries[name]?.nkey === key);
}

/** A new pair of keys: the seed is a secret, the public key may be in Git. */
export function newKey(): { readonly seed: string; readonly publicKey: string } {
  const pair = nkeys.createUser();
  return { seed: new TextDecoder().decode(pair.getSeed()), publicKey: pair.getPublicKey() };
}

/**
 * Connects, and connects again for as long as it takes after a loss. A request is never kept for later: without a connection
 * it fails.
 * @throws {SvcmError} FLEET_FAILED with the code FLEET_UNREACHABLE or FLEET_REFUSED
 */
export async function openLink(settings: FleetSettings, owner: Owner): Promise<FleetLink> {
  const connection = await connectTo(settings, owner);
  const { isConnected, onStatus } = statusOf(connection);
  const bucket = bucketOf(connection);
  const exchange = exchangeOver({ isConnected, onStatus });
  return {
    get maxBytes() {
      return connection.info?.max_payload ?? DEFAULT_MAX_BYTES;
    },
    onStatus,
    events: eventStream(connection),
    serve(subject, name, take) {
      const callback = (error: Error | null, message: Msg): void => {
        if (error === null) take(incoming(message));
      };
      connection.subscribe(subject, { queue: name, callback });
    },
    ask: (subject, bytes, timeoutMs) =>
      exchange(async () => (await connection.request(subject, bytes, { timeout: timeoutMs })).data),
    present: async () => textsIn(await bucket()),
    keep: async (node, text) => void (await (await bucket()).put(node, text)),
    keptMs: async (node) => (await (await bucket()).get(node))?.created.getTime(),
    forget: async (node) => (await bucket()).delete(node),
    rollouts: rolloutRecord(connection, exchange),
    async close() {
      await connection.drain().catch(() => connection.close());
    },
  };
}

/** A request fails at once without a connection, and when its connection is lost. */
function exchangeOver({
  isConnected,
  onStatus,
}: ReturnType<typeof statusOf>): <T>(send: () => Promise<T>) => Promise<T> {
  const waiting = new Set<(error: SvcmError) => void>();
  onStatus((type) => {
    if (type === "disconnect") for (const fail of waiting) fail(unreachable(LOST));
  });
  return (send) =>
    new Promise((resolve, reject) => {
      if (!isConnected()) throw unreachable("The NATS server does not answer.");
      waiting.add(reject);
      const fail = (error: unknown): void => reject(askRefusal(error));
      send()
        .then(resolve, fail)
        .finally(() => waiting.delete(reject));
    });
}

async function connectTo({ servers, credentials, ca }: FleetSettings, owner: Owner): Promise<NatsConnection> {
  const isEncrypted = ca !== undefined || servers.some((server) => server.startsWith("tls:"));
  try {
    return await connect({
      servers: [...servers],
      name: `svcm ${owner.kind} ${owner.name}`,
      inboxPrefix: inboxOf(owner.kind, owner.name),
      timeout: CONNECT_MS,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_MS,
      ...(credentials !== undefined && { authenticator: authenticatorOf(credentials) }),
      // Without the option, the client would send credentials in clear if the server offers no TLS.
      ...(isEncrypted && { tls: ca === undefined ? {} : { ca } }),
    });
  } catch (error) {
    throw connectRefusal(error, servers);
  }
}

function statusOf(connection: NatsConnection): Pick<FleetLink, "onStatus"> & { readonly isConnected: () => boolean } {
  let isConnected = true;
  const hearers: ((type: string) => void)[] = [];
  void (async () => {
    for await (const { type } of connection.status()) {
      if (type === "disconnect") isConnected = false;
      if (type === "reconnect") isConnected = true;
      for (const heard of hearers) heard(type);
    }
  })();
  return { isConnected: () => isConnected, onStatus: (heard) => void hearers.push(heard) };
}

/** The texts by key. A key may expire between the two steps. */
async function textsIn(store: KV): Promise<ReadonlyMap<string, string>> {
  const keys: string[] = [];
  for await (const key of await store.keys()) keys.push(key);
  const entries = await Promise.all(keys.map(async (key) => [key, await store.get(key)] as const));
  return new Map(
    entries.flatMap(([key, entry]) => (entry?.operation === "PUT" ? [[key, entry.string()] as const] : [])),
  );
}

/** The server may have lost the bucket with its memory, so each use opens it again. */
function bucketOf(connection: NatsConnection): () => Promise<KV> {
  const options = { ttl: PRESENCE_MS, history: 1, storage: StorageType.Memory, max_bytes: 16 * 1024 * 1024 };
  return () => new Kvm(connection).create(NODES_BUCKET, options);
}

function incoming(message: Msg): Incoming {
  return { subject: message.subject, data: message.data, respond: (bytes) => void message.respond(bytes) };
}

function authenticatorOf(credentials: string): Authenticator {
  const text = credentials.trim();
  // The client does not accept a `.creds` file whose last line has no end.
  const bytes = new TextEncoder().encode(text.includes("BEGIN NATS USER JWT") ? `${text}\n` : text);
  if (/^SU[A-Z2-7]{56}$/.test(text)) return nkeyAuthenticator(bytes);
  return text.includes("BEGIN NATS USER JWT") ? credsAuthenticator(bytes) : tokenAuthenticator(text);
}

function publicKeyOf(credentials = ""): string | undefined {
  const [seed] = /\bSU[A-Z2-7]{56}\b/.exec(credentials) ?? [];
  return seed === undefined ? undefined : nkeys.fromSeed(new TextEncoder().encode(seed)).getPublicKey();
}
