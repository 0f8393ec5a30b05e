import {
  ecosystemSpellings,
  execute,
  metricsExpose,
  serverIdentity,
  SvcmError,
  type Caller,
  type ConsoleFiles,
  type MetricsFormat,
  type Ports,
} from "../core/index.ts";
import type { FleetEventsInput } from "../core/api/inputs.ts";
import { toJson } from "./answer.ts";
import { targetsOf, type LazyMachines } from "./machines.ts";
import { Overview } from "./overview.ts";
import type { OpenApiOptions } from "./openapi.ts";
import type { ContentName } from "./route.ts";

export interface ContentSource {
  readonly ports: Ports;
  readonly version: string;
  readonly console: ConsoleFiles;
  readonly publicPath: string;
  readonly machines: LazyMachines;
}

export interface ContentRequest {
  readonly format: MetricsFormat;
  /** The machine whose metrics are meant, if it is another one. */
  readonly node: string | undefined;
  /** As the schema of the route has it. */
  readonly query: unknown;
  /** Host and port by which the client reaches this server. */
  readonly address: string;
}

/** A scraper waits ten seconds by default. */
const NODE_MS = 9_000;

/** The guard admits only callers that may read. */
const reader: Caller = { source: "http", grants: ["read"] };

/** Built once if possible. Only metrics and targets depend on the request. */
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

/** Rebuilds a text only if facts in it change. */
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
