import Fastify from "fastify";
import { respondOnNode } from "../respond-on-node.ts";
import type { CreateApplication } from "../framework.ts";

export const createApplication: CreateApplication = async (routes) => {
  const app = Fastify();
  // The shared code reads the body.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  for (const route of routes) {
    app.route<{ Params: Record<string, string> }>({
      method: route.method,
      url: route.path,
      handler(request, reply) {
        reply.hijack();
        return respondOnNode(route, request.params, request.raw, reply.raw);
      },
    });
  }
  await app.ready();
  return { listener: (request, response) => app.routing(request, response), close: () => app.close() };
};
