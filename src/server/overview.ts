import type { NodesResponse } from "../core/api/node.ts";
import type { Ports } from "../core/index.ts";
import type { LazyMachines } from "./machines.ts";

type Seen = NodesResponse["nodes"][number];

const DEADLINE_MS = 3_000;
/** Pages that ask at the same time share an answer. */
const FRESH_MS = 1_000;

/** All machines of the fleet, and the last answers of those that are away. */
export class Overview {
  readonly #machines: LazyMachines;
  readonly #clock: Ports["clock"];
  readonly #seen = new Map<string, Seen>();
  #last: { readonly atMs: number; readonly answer: Promise<NodesResponse> } | undefined;

  constructor(machines: LazyMachines, clock: Ports["clock"]) {
    this.#machines = machines;
    this.#clock = clock;
  }

  /** @throws {SvcmError} FLEET_FAILED */
  async read(): Promise<NodesResponse> {
    const atMs = this.#clock.elapsed();
    if (this.#last === undefined || atMs - this.#last.atMs >= FRESH_MS) this.#last = { atMs, answer: this.#ask() };
    return await this.#last.answer;
  }

  async #ask(): Promise<NodesResponse> {
    const nodes = await (await this.#machines.get()).list(DEADLINE_MS);
    const names = new Set(nodes.map(({ name }) => name));
    for (const name of this.#seen.keys()) if (!names.has(name)) this.#seen.delete(name);
    return {
      nodes: nodes.map((node) => {
        if (node.state === "online") {
          const seen = { ...node, lastSeen: new Date(this.#clock.now()).toISOString() };
          this.#seen.set(node.name, seen);
          return seen;
        }
        return { ...this.#seen.get(node.name), lastSeen: this.#seen.get(node.name)?.lastSeen ?? null, ...node };
      }),
    };
  }
}
