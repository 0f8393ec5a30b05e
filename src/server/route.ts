/** What a row of the route table is. */
import type * as z from "zod";
import type { ZodMiniType } from "zod/mini";
import type { EnvRead, ErrorKind, Operation } from "../core/index.ts";
import type { Need } from "./access.ts";

export type Method = "GET" | "POST";

interface RouteFacts {
  readonly method: Method;
  readonly path: string;
  readonly summary: string;
  /** What a caller cannot see from the schemas. */
  readonly description?: string;
  /** The group of the API's description. */
  readonly tag?: keyof typeof tags;
}

export const tags = {
  environment: "Env files of the backend, key by key.",
  pm2: "The processes that PM2 runs, and what their ecosystem files declare.",
  documents: "Facts and documents that a repository declares.",
  service: "The service itself.",
} as const;

/** A route that runs an operation: its input is made of the named query parameters, the body and the fixed part. */
export interface OperationRoute extends RouteFacts {
  readonly operation: Operation<unknown, unknown>;
  readonly query?: readonly string[];
  readonly body?: ZodMiniType<object>;
  /** The body may be YAML, too: then its bytes are the input, and the operation reads them. */
  readonly takesYaml?: true;
  /** The input that is the header `If-Match`. */
  readonly ifMatch?: string;
  readonly fixed?: Readonly<Record<string, unknown>>;
  readonly response: z.ZodType;
  /** The operation answers with the bytes that it read: they get an entity tag. */
  readonly hasEntityTag: boolean;
  /** What it refuses beside what every route does. */
  readonly refusals: readonly ErrorKind[];
}

/** A route that shows what the server itself holds. */
export interface ContentRoute extends RouteFacts {
  readonly content: ContentName;
  readonly mediaType: string;
  /** Needs no token, on any address. */
  readonly isOpen: boolean;
  readonly response?: z.ZodType;
}

/** The files that the page is made of. They tell nothing of this machine and need no token. */
export interface AssetRoute extends RouteFacts {
  readonly isAsset: true;
  readonly response?: never;
}

/** Another address of the page. */
export interface RedirectRoute extends RouteFacts {
  readonly leadsTo: "page";
  readonly response?: never;
}

/** A route that becomes a WebSocket. What it says there, the AsyncAPI description tells. */
export interface SocketRoute extends RouteFacts {
  readonly socket: SocketName;
  readonly response?: never;
}

export type ContentName = "page" | "health" | "openapi" | "asyncapi" | "metrics";
export type SocketName = "pm2-ws";
export type Route = OperationRoute | ContentRoute | AssetRoute | RedirectRoute | SocketRoute;

export function needOf(route: Route | undefined): Need {
  if (route === undefined) return { access: "read", isPage: false };
  if ("operation" in route) return { access: route.operation.access, isPage: false };
  if ("isAsset" in route) return { access: "none", isPage: false };
  if ("leadsTo" in route) return { access: "none", isPage: true };
  // A browser can hand the token over only behind the handshake: the channel asks for it.
  if ("socket" in route) return { access: "none", isPage: false };
  return { access: route.isOpen ? "none" : "read", isPage: route.content === "page" };
}

/** The answer of an operation; one that was made of a file comes with the file's bytes. */
type AnswerOf<Output> = Output extends EnvRead<infer Response> ? Response : Output;

type OperationFacts<Output> = Omit<
  OperationRoute,
  "method" | "path" | "operation" | "response" | "hasEntityTag" | "refusals"
> & {
  readonly response: z.ZodType<AnswerOf<Output>>;
  readonly refusals: readonly ErrorKind[];
} & (Output extends EnvRead<unknown> ? { readonly hasEntityTag: true } : { readonly hasEntityTag?: never });

/** A row that runs an operation. The response schema describes the operation's answer. */
export function operationRoute<Input, Output>(
  method: Method,
  path: string,
  operation: Operation<Input, Output>,
  facts: OperationFacts<Output>,
): OperationRoute {
  return { method, path, operation, ...facts, hasEntityTag: facts.hasEntityTag ?? false };
}

/** A row that shows what the server itself holds. */
export function show(
  path: string,
  content: ContentName,
  facts: Omit<ContentRoute, "method" | "path" | "content">,
): ContentRoute {
  return { method: "GET", path, content, ...facts };
}

/** A row for the files of the page. */
export function assets(path: string, facts: Pick<AssetRoute, "summary">): AssetRoute {
  return { method: "GET", path, isAsset: true, ...facts };
}

/** A row that leads to the page. */
export function lead(path: string, facts: Pick<RedirectRoute, "summary">): RedirectRoute {
  return { method: "GET", path, leadsTo: "page", ...facts };
}

/** A row that becomes a WebSocket. */
export function talk(path: string, socket: SocketName, facts: Pick<SocketRoute, "summary">): SocketRoute {
  return { method: "GET", path, socket, ...facts };
}
