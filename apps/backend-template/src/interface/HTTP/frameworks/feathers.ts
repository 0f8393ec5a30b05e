import { feathers, type Params } from "@feathersjs/feathers";
import { errorHandler, koa, rest } from "@feathersjs/koa";
import type { IncomingMessage } from "node:http";
import type { CreateApplication } from "../framework.ts";
import { respond } from "../respond.ts";
import type { RouteResponse, Method, Route } from "../route.ts";

declare module "@feathersjs/feathers" {
  interface Params {
    /** Node's own message, for the body. */
    message?: IncomingMessage;
  }
}

/** Feathers has services instead of routes: one for each first segment, with the routes as its methods. */
export const createApplication: CreateApplication = async (routes) => {
  const app = koa(feathers());
  app.use(errorHandler());
  app.on("error", (error: Error) => {
    // An error with a code comes from the system, because the client has disconnected.
    if (!("code" in error)) console.error(error);
  });
  app.use(async (context, next) => {
    context["feathers"] = { ...context["feathers"], message: context.req };
    await next();
  });
  app.configure(
    rest(async (context, next) => {
      await next();
      const { status, body, headers = {} } = context.body as RouteResponse;
      context.body = body ?? null;
      context.status = status;
      context.set({ ...headers });
      if (body !== undefined) context.type = "application/json; charset=utf-8";
    }),
  );
  for (const segment of new Set(routes.map(({ path }) => path.split("/")[1] ?? ""))) {
    app.use(segment, createService(routes.filter(({ path }) => path.split("/")[1] === segment)));
  }
  await app.setup();
  const handle = app.callback();
  return {
    listener: (request, response) => void handle(request, response),
    close: () => app.teardown().then(() => undefined),
  };
};

function createService(routes: readonly Route[]) {
  const call = (method: Method, id: string | number | undefined, params?: Params): Promise<RouteResponse> => {
    const hasId = id !== undefined;
    const route = routes.find((candidate) => candidate.method === method && candidate.path.includes(":") === hasId);
    const message = params?.message;
    if (!route || !message) throw new Error(`${method} is not a route here`);
    return respond(route, hasId ? { id: String(id) } : {}, message);
  };
  return {
    find: (params?: Params) => call("GET", undefined, params),
    get: (id: string | number, params?: Params) => call("GET", id, params),
    create: (_data: unknown, params?: Params) => call("POST", undefined, params),
    remove: (id: string | number, params?: Params) => call("DELETE", id, params),
  };
}
