import restify from "restify";
import { respondOnNode } from "../respond-on-node.ts";
import type { CreateApplication } from "../framework.ts";

const verbs = { GET: "get", POST: "post", DELETE: "del" } as const;

export const createApplication: CreateApplication = async (routes) => {
  const app = restify.createServer({ ignoreTrailingSlash: false });
  for (const route of routes) {
    app[verbs[route.method]](route.path, async (request, response) => {
      await respondOnNode(route, request.params, request, response);
    });
  }
  return { listener: (request, response) => void app.server.emit("request", request, response) };
};
