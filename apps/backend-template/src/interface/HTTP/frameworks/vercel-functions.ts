import { waitUntil } from "@vercel/functions";
import type { CreateApplication } from "../framework.ts";
import { fetchHandler } from "../fetch-handler.ts";
import { hostOnNode } from "../host-on-node.ts";

/** A Vercel function, `export default { fetch }`, hosted on Node here as Vercel hosts it. */
export const createApplication: CreateApplication = async (routes) => {
  const handle = fetchHandler(routes);
  const fetch = (request: Request): Promise<Response> => {
    const response = handle(request);
    // The instance must not be frozen while a handler is still running for a client that has disconnected.
    waitUntil(response);
    return response;
  };
  return { listener: hostOnNode(fetch) };
};
