import { inject } from "@loopback/core";
import { RestApplication, RestBindings, type Request, type Response } from "@loopback/rest";
import { respondOnNode } from "../respond-on-node.ts";
import type { CreateApplication } from "../framework.ts";

export const createApplication: CreateApplication = async (routes) => {
  const app = new RestApplication({
    shutdown: { signals: [] },
    // The default lets pages of every origin read.
    rest: { cors: { origin: false }, openApiSpec: { disabled: true }, apiExplorer: { disabled: true } },
  });
  for (const route of routes) {
    const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
    class Controller {
      readonly request: Request;
      readonly response: Response;
      constructor(request: Request, response: Response) {
        this.request = request;
        this.response = response;
      }
      async answer(...values: string[]): Promise<Response> {
        const params = Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]));
        await respondOnNode(route, params, this.request, this.response);
        // Returning the response itself makes LoopBack treat it as already written.
        return this.response;
      }
    }
    inject(RestBindings.Http.REQUEST)(Controller, undefined, 0);
    inject(RestBindings.Http.RESPONSE)(Controller, undefined, 1);
    const parameters = names.map((name) => ({
      name,
      in: "path" as const,
      required: true,
      schema: { type: "string" as const },
    }));
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    app.route(
      route.method.toLowerCase(),
      path,
      { parameters, responses: {} },
      Controller,
      (ctx) => {
        const request = ctx.getSync(RestBindings.Http.REQUEST);
        return new Controller(request, ctx.getSync(RestBindings.Http.RESPONSE));
      },
      "answer",
    );
  }
  await app.init();
  return { listener: app.requestHandler, close: () => app.stop() };
};
