import {
  execute,
  metricsExpose,
  serverIdentity,
  SvcmError,
  type Caller,
  type MetricsFormat,
  type Ports,
} from "../core/index.ts";
import { toJson } from "./answer.ts";
import type { ConsoleFiles } from "../core/index.ts";
import type { ContentName } from "./route.ts";

export interface ContentSource {
  readonly ports: Ports;
  readonly version: string;
  readonly console: ConsoleFiles;
  readonly publicPath: string;
}

/** The guard admits only callers that may read. */
const reader: Caller = { source: "http", grants: ["read"] };

/** Returns the text of a content route, built once if possible. Only metrics depend on the format. */
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
      return asyncApi();
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

/** Rebuilt when the facts change, because it lists the values that they accept. */
function openApi({ ports, version, publicPath }: ContentSource): () => Promise<string> {
  let last: { readonly contract: unknown; readonly matrix: unknown; readonly text: string } | undefined;
  return async () => {
    const [contract, matrix] = await Promise.all([ports.facts.runtimeContract(), ports.facts.capabilityMatrix()]);
    if (last?.contract !== contract || last.matrix !== matrix) {
      const { openApiDocument } = await import("./openapi.ts");
      last = { contract, matrix, text: toJson(openApiDocument({ contract, matrix, version, publicPath })) };
    }
    return last.text;
  };
}

function asyncApi(): () => Promise<string> {
  let text: string | undefined;
  return async () => {
    const { asyncApiDocument } = await import("../core/api/asyncapi.ts");
    return (text ??= toJson(asyncApiDocument()));
  };
}
