import { Application } from "@adonisjs/application";
import { Encryption } from "@adonisjs/encryption";
import { Emitter } from "@adonisjs/events";
import { defineConfig, Server } from "@adonisjs/http-server";
import { Logger } from "@adonisjs/logger";
import { randomBytes } from "node:crypto";
import { respondOnNode } from "../respond-on-node.ts";
import type { CreateApplication } from "../framework.ts";

export const createApplication: CreateApplication = async (routes) => {
  const app = new Application(new URL(".", import.meta.url), { environment: "web", importer: (path) => import(path) });
  await app.init();
  const encryption = new Encryption({ secret: randomBytes(32).toString("hex") });
  const server = new Server(app, encryption, new Emitter(app), new Logger({ enabled: false }), defineConfig({}));
  const router = server.getRouter();
  for (const route of routes) {
    router.route(route.path, [route.method], ({ params, request, response }) =>
      respondOnNode(route, params, request.request, response.response),
    );
  }
  await server.boot();
  return { listener: (request, response) => void server.handle(request, response), close: () => app.terminate() };
};
