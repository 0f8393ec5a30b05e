import derby from "derby";
import type { IncomingMessage, ServerResponse } from "node:http";
import { respondOnNode, send } from "../respond-on-node.ts";
import type { CreateApplication } from "../framework.ts";

interface Page {
  readonly req: IncomingMessage & { readonly params: Record<string, string> };
  readonly res: ServerResponse;
}

/** `tracks` adds this to an app at run time. */
interface Tracks {
  readonly tracksRoutes: [string, string, (page: Page) => Promise<void>][];
  router(options: {
    caseSensitive: boolean;
    strict: boolean;
  }): (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
}

export const createApplication: CreateApplication = async (routes) => {
  const app = derby.createApp("backend", import.meta.filename) as unknown as Tracks;
  for (const route of routes) {
    // `app.del` registers a method that no request uses, so the route is written to the table directly.
    app.tracksRoutes.push([
      route.method.toLowerCase(),
      route.path,
      ({ req, res }: Page) => respondOnNode(route, req.params, req, res),
    ]);
  }
  const router = app.router({ caseSensitive: true, strict: true });
  return {
    listener: (request, response) =>
      router(request, response, () => send(response, { status: 404, body: { error: "Not found." } })),
  };
};
