import { respond } from "./respond.ts";
import { matchPath, type Route } from "./route.ts";

export type FetchHandler = (request: Request) => Promise<Response>;

/** Exposes routes as a fetch handler, the form that functions providers run. It uses no Node API. */
export function fetchHandler(routes: readonly Route[]): FetchHandler {
  return async (request) => {
    const { pathname } = new URL(request.url);
    for (const route of routes) {
      const params = route.method === request.method ? matchPath(route.path, pathname) : undefined;
      if (params === undefined) continue;
      const { status, body, headers } = await respond(route, params, request.body ?? emptyBody());
      if (body === undefined) return new Response(null, { status, ...(headers && { headers }) });
      return Response.json(body, { status, ...(headers && { headers }) });
    }
    return Response.json({ error: "Not found." }, { status: 404 });
  };
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}
