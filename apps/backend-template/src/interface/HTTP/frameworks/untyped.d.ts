/** Packages without types; only the parts that the adapters use. */

declare module "restify" {
  import type { IncomingMessage, Server, ServerResponse } from "node:http";
  type Handler = (
    request: IncomingMessage & { readonly params: Record<string, string> },
    response: ServerResponse,
  ) => Promise<void>;
  interface RestifyServer {
    readonly server: Server;
    get(path: string, handler: Handler): void;
    post(path: string, handler: Handler): void;
    del(path: string, handler: Handler): void;
  }
  const restify: { createServer(options: { ignoreTrailingSlash: boolean }): RestifyServer };
  export default restify;
}

declare module "sails" {
  import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
  type Handler = (
    request: IncomingMessage & { readonly params: Record<string, string> },
    response: ServerResponse,
  ) => Promise<void>;
  export class Sails {
    readonly hooks: { readonly http: { readonly app: RequestListener } };
    load(
      options: { readonly routes: Record<string, Handler>; readonly [option: string]: unknown },
      done: (error?: Error) => void,
    ): void;
    emit(event: "ready"): void;
    lower(done: () => void): void;
  }
}

declare module "total5" {
  import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
  interface Controller {
    readonly req: IncomingMessage;
    readonly res: ServerResponse;
    readonly params: Record<string, string>;
    datatype: string;
  }
  interface Total {
    on(event: "request", listener: (controller: Controller) => void): void;
    readonly THttp: { readonly listen: RequestListener };
    readonly TRouting: { sort(): void };
    route(route: string, action: (controller: Controller) => void): void;
    load(types: string, done: () => void, clear: boolean): Promise<void>;
  }
  const total: Total;
  export default total;
}
