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
import { toJson } from "./response.ts";
import { type Fleet, scrapeTargets } from "./fleet.ts";
import type { OpenApiOptions } from "./openapi.ts";
import type { ContentName } from "./route.ts";
import type { NodesResponse } from "../core/api/node.ts";

export interface ContentSource {
  readonly ports: Ports;
  readonly version: string;
  readonly console: ConsoleFiles;
  readonly publicPath: string;
  readonly fleet: Fleet;
}

export interface ContentRequest {
  readonly format: MetricsFormat;
  readonly node: string | undefined;
  readonly query: unknown;
  /** The host and port under which the client reaches this server. */
  readonly address: string;
}

/** A scraper waits ten seconds by default. */
const NODE_TIMEOUT_MS = 9_000;

/** The guard has already checked that the caller may read. */
const reader: Caller = { source: "http", grants: ["read"] };

export function contentRenderer(
  name: ContentName,
  source: ContentSource,
): (request: ContentRequest) => Promise<string> | string {
  switch (name) {
    case "page":
      return () => pageOf(source.console);
    case "health":
      return health(source);
    case "metrics":
      return (request) => metrics(source, request);
    case "targets":
      return async ({ address }) => toJson(await scrapeTargets(await source.fleet.get(), address, source.publicPath));
    case "fleet-events":
      return async ({ query }) => toJson(await fleetEvents(source, query as FleetEventsInput));
    case "nodes": {
      const overview = new FleetOverview(source.fleet, source.ports.clock);
      return async () => toJson(await overview.read());
    }
    case "openapi":
      return openApi(source);
    case "asyncapi":
      return asyncApi(source);
  }
}

async function metrics({ ports, version, fleet }: ContentSource, { node, format }: ContentRequest): Promise<string> {
  const input = { version, format };
  if (node === undefined) return execute(metricsExpose, ports, input, reader);
  return (await fleet.get()).ask(node, metricsExpose, input, NODE_TIMEOUT_MS);
}

async function fleetEvents({ fleet }: ContentSource, query: FleetEventsInput): Promise<object> {
  const { node = "all", app, apps = [], ...filter } = query;
  const eventQuery = { ...filter, nodes: [node], apps: app === undefined ? apps : [...apps, app] };
  return await (await fleet.get()).events(eventQuery);
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

function renderFromFacts({ facts }: Ports, render: (facts: Facts) => Promise<object>): () => Promise<string> {
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
  return renderFromFacts(ports, async (facts) =>
    (await import("./openapi.ts")).openApiDocument({ ...facts, version, publicPath }),
  );
}

function asyncApi({ ports }: ContentSource): () => Promise<string> {
  return renderFromFacts(ports, async ({ contract, matrix }) => {
    const { asyncApiDocument } = await import("../core/api/asyncapi.ts");
    return asyncApiDocument([...ecosystemSpellings(contract, matrix).keys()]);
  });
}

const LIST_TIMEOUT_MS = 3_000;
/** Concurrent requests share a result. */
const CACHE_MS = 1_000;

/** Includes the last known state of nodes that are away. */
class FleetOverview {
  readonly #fleet: Fleet;
  readonly #clock: Ports["clock"];
  readonly #lastOnline = new Map<string, NodesResponse["nodes"][number]>();
  #latest: { readonly atMs: number; readonly response: Promise<NodesResponse> } | undefined;

  constructor(fleet: Fleet, clock: Ports["clock"]) {
    this.#fleet = fleet;
    this.#clock = clock;
  }

  /** @throws {SvcmError} FLEET_FAILED */
  async read(): Promise<NodesResponse> {
    const atMs = this.#clock.elapsed();
    if (this.#latest === undefined || atMs - this.#latest.atMs >= CACHE_MS)
      this.#latest = { atMs, response: this.#fetch() };
    return await this.#latest.response;
  }

  async #fetch(): Promise<NodesResponse> {
    const nodes = await (await this.#fleet.get()).list(LIST_TIMEOUT_MS);
    const names = new Set(nodes.map(({ name }) => name));
    for (const name of this.#lastOnline.keys()) if (!names.has(name)) this.#lastOnline.delete(name);
    return {
      nodes: nodes.map((node) => {
        if (node.state === "online") {
          const seen = { ...node, lastSeen: new Date(this.#clock.now()).toISOString() };
          this.#lastOnline.set(node.name, seen);
          return seen;
        }
        return {
          ...this.#lastOnline.get(node.name),
          lastSeen: this.#lastOnline.get(node.name)?.lastSeen ?? null,
          ...node,
        };
      }),
    };
  }
}
