import { setTimeout as pause } from "node:timers/promises";
import type { Begun } from "../core/api/rollout-requests.ts";
import type { Release } from "../core/api/rollout.ts";
import {
  type EventFilter,
  type Identity,
  type ListedNode,
  type NodeAsker,
  type Operation,
  releaseList,
  SvcmError,
} from "../core/index.ts";
import { isReadOnly } from "./route.ts";

export interface FleetClient extends NodeAsker {
  nodes(): Promise<readonly { readonly name: string; readonly labels: Labels; readonly isDeclared: boolean }[]>;
  events(query: FleetEventQuery): Promise<object>;
  list(deadlineMs: number): Promise<readonly ListedNode[]>;
}

interface FleetEventQuery extends EventFilter {
  readonly nodes: readonly string[];
  readonly since?: number | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export type ConnectFleet = () => Promise<FleetClient>;

type Labels = Readonly<Record<string, string>>;

/** A target group of Prometheus' HTTP service discovery. */
export interface TargetGroup {
  readonly targets: readonly string[];
  readonly labels: Labels;
}

const READ_TIMEOUT_MS = 10_000;
const CHANGE_TIMEOUT_MS = 60_000;
/** An install and a build may take minutes. */
const PREPARE_TIMEOUT_MS = 660_000;

/** Connects at the first request for another machine, and keeps the connection. */
export class Fleet {
  readonly #connectFleet: ConnectFleet | undefined;
  #client: Promise<FleetClient> | undefined;

  constructor(connectFleet: ConnectFleet | undefined) {
    this.#connectFleet = connectFleet;
  }

  /** @throws {SvcmError} FLEET_FAILED, also if this server has no fleet */
  get(): Promise<FleetClient> {
    return (this.#client ??= this.#connect());
  }

  /**
   * Asks on behalf of a caller of this server.
   *
   * @throws {SvcmError} the refusal of the node, FLEET_FAILED
   */
  async askAs<Input, Output>(
    node: string,
    operation: Operation<Input, Output>,
    input: Input,
    caller: Identity,
  ): Promise<Output> {
    requireTokenForChanges(operation, caller);
    const changeMs = operation.id === "deploy.plan" ? PREPARE_TIMEOUT_MS : CHANGE_TIMEOUT_MS;
    const timeoutMs = isReadOnly(operation) ? READ_TIMEOUT_MS : changeMs;
    return (await this.get()).ask(node, operation, input, timeoutMs, caller);
  }

  /** @throws {SvcmError} as `askFor` */
  async start<Input>(
    node: string,
    operation: Operation<Input, unknown>,
    input: Input,
    caller: Identity,
  ): Promise<Begun> {
    requireTokenForChanges(operation, caller);
    const client = await this.get();
    return await startOnNode((requested, value, timeoutMs) => client.ask(node, requested, value, timeoutMs, caller), {
      operation,
      input,
    });
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    await client?.close();
  }

  async #connect(): Promise<FleetClient> {
    try {
      if (this.#connectFleet === undefined)
        throw new SvcmError("FLEET_FAILED", { details: "This server belongs to no fleet." });
      return await this.#connectFleet();
    } catch (error) {
      this.#client = undefined;
      // Without a fleet, the server keeps running.
      throw error instanceof SvcmError && error.kind === "START_REFUSED"
        ? new SvcmError("FLEET_FAILED", error.body)
        : error;
    }
  }
}

/**
 * On loopback, a caller without a token is any account of this machine. The user's key of the server was not given to
 * it.
 * @throws {SvcmError} UNAUTHORIZED
 */
function requireTokenForChanges(operation: Operation<never, unknown>, { role }: Identity): void {
  if (role !== undefined || isReadOnly(operation)) return;
  throw new SvcmError("UNAUTHORIZED", {
    details:
      "Without a token, other nodes are read-only. Accepted: a token with the right for the change. Create one: svcm token create",
  });
}

const RESERVED_LABELS = /^(?:job|instance|__.*)$/;

/**
 * Each declared node gets this server's address, which forwards the request, so a node needs no open port.
 *
 * @param address the host and port under which the scraper reaches this server
 */
export async function scrapeTargets(fleet: FleetClient, address: string, publicPath: string): Promise<TargetGroup[]> {
  const nodes = await fleet.nodes();
  return nodes
    .filter(({ isDeclared }) => isDeclared)
    .map(({ name, labels }) => ({
      targets: [address],
      labels: {
        ...prometheusLabels(labels),
        instance: name,
        __metrics_path__: `${publicPath}/metrics`,
        __param_node: name,
      },
    }));
}

/** Prometheus accepts letters, digits and underscores, and reserves some names. */
function prometheusLabels(labels: Labels): Labels {
  const pairs = Object.entries(labels).map(([name, value]) => {
    const safeName = name.replaceAll(/\W/g, "_").replace(/^(?=\d)/, "_");
    return [RESERVED_LABELS.test(safeName) ? `node_${safeName}` : safeName, value] as const;
  });
  return Object.fromEntries(pairs);
}

type Ask = <Input, Output>(operation: Operation<Input, Output>, input: Input, timeoutMs: number) => Promise<Output>;

const POLL_MS = 500;
const MAX_RELEASE_MS = 3_600_000;

/**
 * Watches the releases of the node for one that has begun, because the node responds only at the end.
 *
 * @throws {SvcmError} as `ask`
 */
async function startOnNode<Input>(
  ask: Ask,
  { operation, input }: { readonly operation: Operation<Input, unknown>; readonly input: Input },
): Promise<Begun> {
  const newest = async (): Promise<Release | undefined> => (await ask(releaseList, {}, READ_TIMEOUT_MS)).releases[0];
  const previous = await newest();
  const running = ask(operation, input, MAX_RELEASE_MS).then(toBegun);
  // A failure after the first step is recorded in its release.
  running.catch(() => undefined);
  for (;;) {
    const ended = await Promise.race([running, pause(POLL_MS)]);
    if (ended !== undefined) return ended;
    const release = await newest();
    if (release !== undefined && release.id !== previous?.id) return { release: release.id };
  }
}

/** An apply returns its plan and its release, a rollback returns its release. */
function toBegun(output: unknown): Begun {
  const { release, id = null } = output as { readonly release?: Release | null; readonly id?: string };
  return { release: release === undefined ? id : (release?.id ?? null) };
}
