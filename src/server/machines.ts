import { setTimeout as pause } from "node:timers/promises";
import type { Begun, Release } from "../core/api/rollout.ts";
import {
  type EventFilter,
  type Identity,
  type ListedNode,
  type NodeAsker,
  type Operation,
  releaseList,
  SvcmError,
} from "../core/index.ts";

export interface Machines extends NodeAsker {
  nodes(): Promise<readonly { readonly name: string; readonly labels: Labels; readonly isDeclared: boolean }[]>;
  events(asked: EventsAsked): Promise<object>;
  list(deadlineMs: number): Promise<readonly ListedNode[]>;
}

interface EventsAsked extends EventFilter {
  readonly nodes: readonly string[];
  readonly since?: number | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export type OpenMachines = () => Promise<Machines>;

type Labels = Readonly<Record<string, string>>;

/** A target group of Prometheus' HTTP service discovery. */
export interface TargetGroup {
  readonly targets: readonly string[];
  readonly labels: Labels;
}

const READ_MS = 10_000;
const CHANGE_MS = 60_000;

/** Connects at the first request for another machine, and keeps the connection. */
export class LazyMachines {
  readonly #open: OpenMachines | undefined;
  #opened: Promise<Machines> | undefined;

  constructor(open: OpenMachines | undefined) {
    this.#open = open;
  }

  /** @throws {SvcmError} FLEET_FAILED, also if this server has no fleet */
  get(): Promise<Machines> {
    return (this.#opened ??= this.#connect());
  }

  /**
   * Asks on behalf of a caller of this server.
   *
   * @throws {SvcmError} the refusal of the node, FLEET_FAILED
   */
  async askFor<Input, Output>(
    node: string,
    operation: Operation<Input, Output>,
    input: Input,
    caller: Identity,
  ): Promise<Output> {
    const isReading = operation.access === "read" || operation.access === "logs";
    return (await this.get()).ask(node, operation, input, isReading ? READ_MS : CHANGE_MS, caller);
  }

  /** @throws {SvcmError} as `askFor` */
  async begin<Input>(
    node: string,
    operation: Operation<Input, unknown>,
    input: Input,
    caller: Identity,
  ): Promise<Begun> {
    const machines = await this.get();
    return await begunOn((asked, given, timeoutMs) => machines.ask(node, asked, given, timeoutMs, caller), {
      operation,
      input,
    });
  }

  async close(): Promise<void> {
    const machines = await this.#opened?.catch(() => undefined);
    await machines?.close();
  }

  async #connect(): Promise<Machines> {
    try {
      if (this.#open === undefined)
        throw new SvcmError("FLEET_FAILED", { details: "This server belongs to no fleet." });
      return await this.#open();
    } catch (error) {
      this.#opened = undefined;
      // Without a fleet, the server keeps running.
      throw error instanceof SvcmError && error.kind === "START_REFUSED"
        ? new SvcmError("FLEET_FAILED", error.body)
        : error;
    }
  }
}

const OF_PROMETHEUS = /^(?:job|instance|__.*)$/;

/**
 * Each declared node gets this server's address, which forwards the request, so a node needs no open port.
 *
 * @param address the host and port under which the scraper reaches this server
 */
export async function targetsOf(machines: Machines, address: string, publicPath: string): Promise<TargetGroup[]> {
  const nodes = await machines.nodes();
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
    const plain = name.replaceAll(/\W/g, "_").replace(/^(?=\d)/, "_");
    return [OF_PROMETHEUS.test(plain) ? `node_${plain}` : plain, value] as const;
  });
  return Object.fromEntries(pairs);
}

type Ask = <Input, Output>(operation: Operation<Input, Output>, input: Input, timeoutMs: number) => Promise<Output>;

const LOOK_MS = 500;
/** A node responds only when the release has ended. */
const LONGEST_MS = 3_600_000;

/**
 * Watches the releases of the node for one that has begun, because the node responds only at the end.
 *
 * @throws {SvcmError} as `ask`
 */
async function begunOn<Input>(
  ask: Ask,
  { operation, input }: { readonly operation: Operation<Input, unknown>; readonly input: Input },
): Promise<Begun> {
  const newest = async (): Promise<Release | undefined> => (await ask(releaseList, {}, READ_MS)).releases[0];
  const before = await newest();
  const running = ask(operation, input, LONGEST_MS).then(begunOf);
  // A failure after the first step is recorded in its release.
  running.catch(() => undefined);
  for (;;) {
    const ended = await Promise.race([running, pause(LOOK_MS)]);
    if (ended !== undefined) return ended;
    const release = await newest();
    if (release !== undefined && release.id !== before?.id) return { release: release.id };
  }
}

/** An apply returns its plan and its release, a rollback returns its release. */
function begunOf(output: unknown): Begun {
  const { release, id = null } = output as { readonly release?: Release | null; readonly id?: string };
  return { release: release === undefined ? id : (release?.id ?? null) };
}
