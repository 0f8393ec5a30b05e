/** Only this file and the `link-*` files import the NATS client. */
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
import type { SvcmError } from "../core/index.ts";
import type { StreamSettings, FleetSettings } from "./settings.ts";
import {
  openStreamApi,
  type Exchange,
  requestError,
  connectError,
  connectionLost,
  withOutcome,
  unreachableError,
} from "./link-api.ts";
import {
  eventStream,
  type EventStream,
  openNodeEntries,
  type NodeEntries,
  openRolloutRecords,
  type RolloutRecords,
} from "./link-events.ts";
import { listStreamProblems, requireSafeStreams, setUpStreams, type SetUpOutcome } from "./link-streams.ts";
import { identityCheck, requireSupportedVersion } from "./identity.ts";
import { requestSubject, type Address } from "./subjects.ts";

const CONNECT_MS = 5_000;
const RECONNECT_MS = 500;
const DEFAULT_MAX_BYTES = 2 ** 20;

export interface Incoming {
  readonly subject: string;
  readonly reply: string;
  readonly data: Uint8Array;
  respond(bytes: Uint8Array): void;
}

export interface FleetLink {
  readonly maxBytes: number;
  /** If several links use the same name, one of them gets each message. @returns the function that ends it */
  serve(subject: string, name: string, handle: (message: Incoming) => void): () => void;
  /** Until the server has all that was sent, so that a request finds who serves. At once if the connection is lost. */
  flush(): Promise<void>;
  /** @throws {SvcmError} FLEET_FAILED with NODE_UNREACHABLE or NODE_TIMEOUT, FORBIDDEN */
  request(address: Address, bytes: Uint8Array, timeoutMs: number): Promise<Uint8Array>;
  readonly nodes: NodeEntries;
  readonly events: EventStream;
  readonly rollouts: RolloutRecords;
  /** @throws {SvcmError} FLEET_FAILED; FORBIDDEN if the user is not an admin */
  setUp(settings: StreamSettings): Promise<SetUpOutcome>;
  /** @throws {SvcmError} FLEET_FAILED with NATS_SETTINGS; a missing stream is safe */
  requireSafe(settings: StreamSettings): Promise<void>;
  /** A sentence for each stream that is missing or has other settings. */
  problems(settings: StreamSettings): Promise<string[]>;
  /** The version of the NATS server. */
  readonly version: string;
  /** The status is, for example, "disconnect" or "reconnect". */
  onStatus(listener: (type: string) => void): void;
  close(): Promise<void>;
}

interface Owner {
  readonly kind: "user" | "node";
  readonly name: string;
}

/** The name in `svcm.yaml` for the public key of the credentials. */
export function findNameOfKey(
  credentials: string | undefined,
  entries: Readonly<Record<string, { readonly nkey?: string | undefined }>>,
): string | undefined {
  const key = findPublicKey(credentials);
  return key && Object.keys(entries).find((name) => entries[name]?.nkey === key);
}

/** The seed is secret; the public key may be in Git. */
export function createKey(): { readonly seed: string; readonly publicKey: string } {
  const pair = nkeys.createUser();
  return { seed: new TextDecoder().decode(pair.getSeed()), publicKey: pair.getPublicKey() };
}

/**
 * Reconnects after a loss, however long that takes. Without a connection, a request fails; it is never queued.
 * @throws {SvcmError} FLEET_FAILED with the code FLEET_UNREACHABLE, FLEET_REFUSED or NATS_TOO_OLD
 */
export async function openLink(settings: FleetSettings, owner: Owner): Promise<FleetLink> {
  const connection = await connectTo(settings, owner);
  const { isConnected, onStatus } = watchStatus(connection);
  const exchange = createExchange({ isConnected, onStatus });
  const api = openStreamApi(connection, exchange);
  return {
    version: connection.info?.version ?? "",
    get maxBytes() {
      return connection.info?.max_payload ?? DEFAULT_MAX_BYTES;
    },
    onStatus,
    nodes: openNodeEntries(api),
    events: eventStream(api),
    serve(subject, name, take) {
      const callback = (error: Error | null, message: Msg): void => {
        if (error === null) take(toIncoming(message));
      };
      const subscription = connection.subscribe(subject, { queue: name, callback });
      return () => subscription.unsubscribe();
    },
    flush: () => exchange(() => connection.flush()).catch(nothing),
    request: (address, bytes, timeoutMs) =>
      exchange(
        async () => (await connection.request(requestSubject(address), bytes, { timeout: timeoutMs })).data,
      ).catch((error: unknown) => {
        throw withOutcome(error, address.kind);
      }),
    rollouts: openRolloutRecords(api),
    setUp: (settingsOfStreams) => setUpStreams(api, settingsOfStreams),
    requireSafe: (settingsOfStreams) => requireSafeStreams(api, settingsOfStreams),
    problems: (settingsOfStreams) => listStreamProblems(api, settingsOfStreams),
    async close() {
      if (isConnected()) await connection.drain().catch(() => connection.close());
      else await connection.close();
    },
  };
}

function createExchange({ isConnected, onStatus }: ReturnType<typeof watchStatus>): Exchange {
  const waiting = new Set<(error: SvcmError) => void>();
  onStatus((type) => {
    if (type === "disconnect") for (const fail of waiting) fail(connectionLost());
  });
  return (send) =>
    new Promise((resolve, reject) => {
      if (!isConnected()) throw unreachableError("The NATS server does not answer.");
      waiting.add(reject);
      const fail = (error: unknown): void => reject(requestError(error));
      send()
        .then(resolve, fail)
        .finally(() => waiting.delete(reject));
    });
}

async function connectTo({ servers, credentials, ca }: FleetSettings, owner: Owner): Promise<NatsConnection> {
  const connection = await connectAs({ servers, credentials, ca }, owner);
  try {
    requireSupportedVersion(connection.info?.version);
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function connectAs(
  { servers, credentials, ca }: Pick<FleetSettings, "servers" | "credentials" | "ca">,
  owner: Owner,
): Promise<NatsConnection> {
  const isEncrypted = ca !== undefined || servers.some((server) => server.startsWith("tls:"));
  try {
    return await connect({
      servers: [...servers],
      name: `svcm ${owner.kind} ${owner.name}`,
      timeout: CONNECT_MS,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_MS,
      ...(credentials !== undefined && { authenticator: createAuthenticator(credentials) }),
      // Without this option, the client would send credentials in plain text to a server without TLS.
      ...(isEncrypted && { tls: { ...identityCheck(servers), ...(ca !== undefined && { ca }) } }),
    });
  } catch (error) {
    throw connectError(error, servers);
  }
}

function watchStatus(
  connection: NatsConnection,
): Pick<FleetLink, "onStatus"> & { readonly isConnected: () => boolean } {
  let isConnected = true;
  const listeners: ((type: string) => void)[] = [];
  const notify = (type: string): void => {
    for (const listener of listeners) listener(type);
  };
  void (async () => {
    for await (const { type } of connection.status()) {
      if (type === "disconnect") isConnected = false;
      if (type === "reconnect") {
        isConnected = true;
        // The server answers a flush after it has the subscriptions, so a listener may rely on them.
        connection.flush().then(() => isConnected && notify(type), nothing);
      } else notify(type);
    }
  })();
  return { isConnected: () => isConnected, onStatus: (listener) => void listeners.push(listener) };
}

/** The next reconnect flushes again. */
const nothing = (): void => {};

function toIncoming(message: Msg): Incoming {
  return {
    subject: message.subject,
    reply: message.reply ?? "",
    data: message.data,
    respond: (bytes) => void message.respond(bytes),
  };
}

function createAuthenticator(credentials: string): Authenticator {
  const text = credentials.trim();
  // The client does not accept a `.creds` file without a final line break.
  const bytes = new TextEncoder().encode(text.includes("BEGIN NATS USER JWT") ? `${text}\n` : text);
  if (/^SU[A-Z2-7]{56}$/.test(text)) return nkeyAuthenticator(bytes);
  return text.includes("BEGIN NATS USER JWT") ? credsAuthenticator(bytes) : tokenAuthenticator(text);
}

function findPublicKey(credentials = ""): string | undefined {
  const [seed] = /\bSU[A-Z2-7]{56}\b/.exec(credentials) ?? [];
  return seed === undefined ? undefined : nkeys.fromSeed(new TextEncoder().encode(seed)).getPublicKey();
}
