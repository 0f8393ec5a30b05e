import type { CreateApplication } from "../framework.ts";
import { fetchHandler, hostOnNode } from "../fetch-handler.ts";

/** A module worker, `export default worker`, hosted on Node here as `wrangler` hosts it at Cloudflare. */
export const createApplication: CreateApplication = async (routes) => {
  const worker = { fetch: fetchHandler(routes) };
  return { listener: hostOnNode((request) => worker.fetch(request)) };
};
