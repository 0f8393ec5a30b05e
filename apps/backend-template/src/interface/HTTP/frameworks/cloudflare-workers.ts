import type { CreateApplication } from "../framework.ts";
import { fetchHandler } from "../fetch-handler.ts";
import { hostOnNode } from "../host-on-node.ts";

/** A module worker, `export default worker`, hosted on Node here as Cloudflare's `wrangler` does. */
export const createApplication: CreateApplication = async (routes) => {
  const worker = { fetch: fetchHandler(routes) };
  return { listener: hostOnNode((request) => worker.fetch(request)) };
};
