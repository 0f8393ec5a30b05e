import { execute, metricsExpose, type Caller, type Ports } from "../core/index.ts";
import { toJson } from "./answer.ts";
import { page } from "./page/page.ts";
import { icon } from "./page/icon.ts";
import { style } from "./page/style.ts";
import type { ContentName } from "./route.ts";
import { ICON_PATH, routes, STYLE_PATH } from "./routes.ts";

/** Who gets to content may read: the guard has seen to that. */
const reader: Caller = { source: "http", grants: ["read"] };

/** What the server itself shows, made once where that is possible. */
export function contentOf(name: ContentName, about: { ports: Ports; version: string }): () => Promise<string> | string {
  switch (name) {
    case "page":
      return once(page({ version: about.version, routes, stylePath: STYLE_PATH, iconPath: ICON_PATH }));
    case "style":
      return once(style);
    case "icon":
      return once(icon);
    case "health":
      return once(toJson({ status: "ok", version: about.version }));
    case "metrics":
      return () => execute(metricsExpose, about.ports, { version: about.version }, reader);
    case "openapi":
      return openApi(about);
    case "asyncapi":
      return asyncApi();
  }
}

function once(text: string): () => string {
  return () => text;
}

/** The description names what the runtime contract accepts, so it is made anew when that changes. */
function openApi({ ports, version }: { ports: Ports; version: string }): () => Promise<string> {
  let last: { readonly contract: unknown; readonly text: string } | undefined;
  return async () => {
    const contract = await ports.facts.runtimeContract();
    if (last?.contract !== contract) {
      const { openApiDocument } = await import("./openapi.ts");
      last = { contract, text: toJson(openApiDocument({ contract, version })) };
    }
    return last.text;
  };
}

function asyncApi(): () => Promise<string> {
  let text: string | undefined;
  return async () => {
    const { asyncApiDocument } = await import("../core/contract/asyncapi.ts");
    return (text ??= toJson(asyncApiDocument()));
  };
}
