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
import { toJson } from "./answer.ts";
import type { OpenApiOptions } from "./openapi.ts";
import type { ContentName } from "./route.ts";

export interface ContentSource {
  readonly ports: Ports;
  readonly version: string;
  readonly console: ConsoleFiles;
  readonly publicPath: string;
}

/** The guard admits only callers that may read. */
const reader: Caller = { source: "http", grants: ["read"] };

/** Built once if possible. Only metrics depend on the format. */
export function contentOf(
  name: ContentName,
  about: ContentSource,
): (format: MetricsFormat) => Promise<string> | string {
  switch (name) {
    case "page":
      return () => pageOf(about.console);
    case "health":
      return health(about);
    case "metrics":
      return (format) => execute(metricsExpose, about.ports, { version: about.version, format }, reader);
    case "openapi":
      return openApi(about);
    case "asyncapi":
      return asyncApi(about);
  }
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
