import { hostname } from "node:os";
import { isOpenToOthers, SvcmError, type NatsProject, type Ports } from "../core/index.ts";
import { SUBJECT_TOKEN, type RequestKind } from "./subjects.ts";
import { parseDuration } from "../core/words/time.ts";

export const NATS_URL = "SVC_SERVICE_MANAGEMENT_NATS_URL";
export const NATS_CREDENTIALS = "SVC_SERVICE_MANAGEMENT_NATS_CREDENTIALS";
/** For requests of this machine's users, if they do not use the credentials of the machine. */
export const NATS_USER_CREDENTIALS = "SVC_SERVICE_MANAGEMENT_NATS_USER_CREDENTIALS";
export const NATS_CA = "SVC_SERVICE_MANAGEMENT_NATS_CA";
export const NODE_NAME = "SVC_SERVICE_MANAGEMENT_NODE";

export interface FleetSettings {
  readonly servers: readonly string[];
  /** The seed of an NKey, a JWT with its seed, or a token. */
  readonly credentials: string | undefined;
  readonly ca: string | undefined;
  readonly nats: NatsProject;
  readonly environments: readonly string[];
  readonly services: readonly string[];
}

type Variables = Readonly<Record<string, string | undefined>>;

/** @throws {SvcmError} START_REFUSED if svcm.yaml has no `nats`, or a file cannot be read */
export async function readFleetSettings(ports: Ports, env: Variables, url?: string): Promise<FleetSettings> {
  const project = await ports.facts.project();
  const { nats } = project ?? {};
  if (nats === undefined)
    throw startRefused(
      "svcm.yaml declares no nats, so no user and no node is known. Accepted: nats with users and nodes; docs/how-to/fleet.md has an example.",
    );
  const requested = (url ?? env[NATS_URL])
    ?.split(",")
    .map((one) => one.trim())
    .filter(Boolean);
  return {
    servers: requested?.length ? requested : nats.servers,
    credentials: await readNamedFile(ports, env, NATS_CREDENTIALS),
    ca: await readNamedFile(ports, env, NATS_CA),
    nats,
    environments: Object.keys((await ports.facts.runtimeContract()).environments),
    services: Object.keys(project?.services ?? {}),
  };
}

/**
 * The flag, the variable, or the first part of the host name.
 * @throws {SvcmError} START_REFUSED
 */
export function resolveNodeName(env: Variables, { nodes }: NatsProject, requested?: string): string {
  const name = requested ?? (env[NODE_NAME]?.trim() || (hostname().split(".")[0] ?? ""));
  if (SUBJECT_TOKEN.test(name) && Object.hasOwn(nodes, name)) return name;
  const declared = Object.keys(nodes).join(", ");
  throw startRefused(
    `svcm.yaml declares no node ${JSON.stringify(name.slice(0, 80))} under nats. Accepted: ${declared || "one that nats.nodes names"}; --node-name or ${NODE_NAME} chooses it.`,
  );
}

async function readNamedFile(
  { files, workspace }: Ports,
  env: Variables,
  variable: string,
): Promise<string | undefined> {
  const path = env[variable]?.trim();
  if (!path) return undefined;
  const absolute = path.startsWith("/") ? path : `${workspace.root}/${path}`;
  if (variable === NATS_CREDENTIALS && isOpenToOthers(absolute))
    throw startRefused(
      `${variable}: other users of this machine can read or change ${path}, and its key is worth as much as its owner. Accepted: mode 0600. Run: chmod 600 ${path}`,
    );
  try {
    return new TextDecoder().decode(await files.read(absolute, { maxBytes: 64 * 1024, mayBeOutside: true }));
  } catch (error) {
    throw startRefused(`${variable}: ${(error as Error).message}`);
  }
}

function startRefused(details: string): SvcmError {
  return new SvcmError("START_REFUSED", { details });
}

export interface StreamSettings {
  readonly maxAgeMs: number;
  /** A node with many records drops its own, not those of other nodes. */
  readonly maxPerNode: number;
  /** Servers of a NATS cluster that keep each stream. */
  readonly replicas: number;
  readonly environments: readonly string[];
}

export function resolveStreams({ nats: { events, replicas }, environments }: FleetSettings): StreamSettings {
  const { maxAge = "30d", maxPerNode = 2_000 } = events;
  return { maxAgeMs: parseDuration(maxAge, /^(\d+)([hd])$/) ?? 0, maxPerNode, replicas: replicas ?? 1, environments };
}

/** Of requests at the same time, for the whole node and for one user. */
const PLACES: Readonly<Record<RequestKind, { readonly all: number; readonly user: number }>> = {
  read: { all: 32, user: 8 },
  write: { all: 8, user: 4 },
};

/** A user who takes all of their places takes none from other users, and a read takes none from a change. */
export class Places {
  readonly #taken = new Map<string, number>();

  /** @returns the function that gives the place back @throws {SvcmError} SERVICE_BUSY */
  take(kind: RequestKind, user: string): () => void {
    const { all, user: share } = PLACES[kind];
    const keys = [kind, `${kind} ${user}`];
    const [ofAll = 0, ofUser = 0] = keys.map((key) => this.#taken.get(key) ?? 0);
    if (ofUser >= share) throw busyError(`${share} ${NOUNS[kind]} of a user at a time`);
    if (ofAll >= all) throw busyError(`${all} ${NOUNS[kind]} at a time`);
    this.#add(keys, 1);
    return () => this.#add(keys, -1);
  }

  #add(keys: readonly string[], change: number): void {
    for (const key of keys) {
      const count = (this.#taken.get(key) ?? 0) + change;
      if (count > 0) this.#taken.set(key, count);
      else this.#taken.delete(key);
    }
  }
}

const NOUNS = { read: "requests that read", write: "changes" } as const;

function busyError(accepted: string): SvcmError {
  return new SvcmError("SERVICE_BUSY", { details: `Accepted: ${accepted}.` });
}
