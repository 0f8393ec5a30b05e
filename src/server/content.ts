import {
  type Caller,
  type ConsoleFiles,
  ecosystemSpellings,
  execute,
  metricsExpose,
  type MetricsFormat,
  type Ports,
  serverIdentity,
  SvcmError,
} from "../core/index.ts";
import type { FleetEventsInput } from "../core/api/inputs.ts";
import { toJson } from "./answer.ts";
import { type LazyMachines, targetsOf } from "./machines.ts";
import type { OpenApiOptions } from "./openapi.ts";
import type { ContentName } from "./route.ts";
import type { NodesResponse } from "../core/api/node.ts";

export interface ContentSource {
  readonly ports: Ports;
  readonly version: string;
  readonly console: ConsoleFiles;
  readonly publicPath: string;
  readonly machines: LazyMachines;
}

export interface ContentRequest {
  readonly format: MetricsFormat;
  readonly node: string | undefined;
  readonly query: unknown;
  /** The host and port under which the client reaches this server. */
  readonly address: string;
}

/** A scraper waits ten seconds by default. */
const NODE_MS = 9_000;

/** The guard has already checked that the caller may read. */
const reader: Caller = { source: "http", grants: ["read"] };

/** Only metrics and targets depend on the request. */
export function contentOf(
  name: ContentName,
  about: ContentSource,
): (request: ContentRequest) => Promise<string> | string {
  switch (name) {
    case "page":
      return () => pageOf(about.console);
    case "health":
      return health(about);
    case "metrics":
      return (request) => metrics(about, request);
    case "targets":
      return async ({ address }) => toJson(await targetsOf(await about.machines.get(), address, about.publicPath));
    case "fleet-events":
      return async ({ query }) => toJson(await fleetEvents(about, query as FleetEventsInput));
    case "nodes": {
      const overview = new Overview(about.machines, about.ports.clock);
      return async () => toJson(await overview.read());
    }
    case "openapi":
      return openApi(about);
    case "asyncapi":
      return asyncApi(about);
  }
}

async function metrics({ ports, version, machines }: ContentSource, { node, format }: ContentRequest): Promise<string> {
  const input = { version, format };
  if (node === undefined) return execute(metricsExpose, ports, input, reader);
  return (await machines.get()).ask(node, metricsExpose, input, NODE_MS);
}

async function fleetEvents({ machines }: ContentSource, query: FleetEventsInput): Promise<object> {
  const { node = "all", app, apps = [], ...asked } = query;
  const wanted = { ...asked, nodes: [node], apps: app === undefined ? apps : [...apps, app] };
  return await (await machines.get()).events(wanted);
}

function pageOf({ page }: ConsoleFiles): string {
  if (page === undefined) throw new SvcmError("NOT_FOUND", { details: "The console is not built: npm run build." });
  return page;
}

function health({ ports, version }: ContentSource): () => Promise<string> {
  let text: string | undefined;
  return async () => (text ??= toJson({ status: "ok", version, server: await serverIdentity(ports) }));
}

type Facts = Pick<OpenApiOptions, "contract" | "matrix">;

function ofFacts({ facts }: Ports, render: (facts: Facts) => Promise<object>): () => Promise<string> {
  let last: (Facts & { readonly text: string }) | undefined;
  return async () => {
    const [contract, matrix] = await Promise.all([facts.runtimeContract(), facts.capabilityMatrix()]);
    if (last?.contract !== contract || last.matrix !== matrix) {
      last = { contract, matrix, text: toJson(await render({ contract, matrix })) };
    }
    return last.text;
  };
}

function openApi({ ports, version, publicPath }: ContentSource): () => Promise<string> {
  return ofFacts(ports, async (facts) =>
    (await import("./openapi.ts")).openApiDocument({ ...facts, version, publicPath }),
  );
}

function asyncApi({ ports }: ContentSource): () => Promise<string> {
  return ofFacts(ports, async ({ contract, matrix }) => {
    const { asyncApiDocument } = await import("../core/api/asyncapi.ts");
    return asyncApiDocument([...ecosystemSpellings(contract, matrix).keys()]);
  });
}

type Seen = NodesResponse["nodes"][number];

const DEADLINE_MS = 3_000;
/** Concurrent requests share a result. */
const FRESH_MS = 1_000;

/** Includes the last known state of machines that are away. */
class Overview {
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
