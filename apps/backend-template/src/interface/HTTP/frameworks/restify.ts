import restify from "restify";
import { answerNode } from "../answering.ts";
import type { CreateApplication } from "../framework.ts";

const verbs = { GET: "get", POST: "post", DELETE: "del" } as const;

export const createApplication: CreateApplication = async (routes) => {
  const app = restify.createServer({ ignoreTrailingSlash: false });
  for (const route of routes) {
    app[verbs[route.method]](route.path, async (request, response) => {
      await answerNode(route, request.params, request, response);
    });
  }
  return { listener: (request, response) => void app.server.emit("request", request, response) };
};
