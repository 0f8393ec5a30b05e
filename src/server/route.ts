import type * as z from "zod";
import type { ZodMiniType } from "zod/mini";
import type { Begun } from "../core/api/rollout-requests.ts";
import { remoteOperations, type Access, type TaggedResponse, type ErrorKind, type Operation } from "../core/index.ts";

export type Method = "GET" | "POST";

interface RouteBase {
  readonly method: Method;
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag?: keyof typeof tags;
}

export const tags = {
  environment: "Env files of the backend, key by key.",
  pm2: "The processes that PM2 runs, and what their ecosystem files declare.",
  documents: "Facts and documents that a repository declares.",
  service: "The service itself.",
} as const;

export interface OperationRoute extends RouteBase {
  readonly operation: Operation<unknown, unknown>;
  readonly query?: readonly string[];
  readonly body?: ZodMiniType<object>;
  /** Allows YAML; the input is then the bytes of the body. */
  readonly takesYaml?: true;
  /** Allows the larger bodies of deployments documents. */
  readonly takesDocument?: true;
  readonly ifMatch?: string;
  readonly fixed?: Readonly<Record<string, unknown>>;
  /** Responds as soon as the first step is about to begin; the rest continues without the request. */
  readonly runsInBackground?: true;
  readonly response: z.ZodType;
  /** The tag is that of the file that the operation read. */
  readonly hasEntityTag: boolean;
  /** In addition to those of every route. */
  readonly refusals: readonly ErrorKind[];
}

export interface ContentRoute extends RouteBase {
  readonly content: ContentName;
  readonly mediaType: string;
  /** Needs no token on any address. */
  readonly isOpen: boolean;
  /** The accepted parameters. If `input` and `response` are absent, any. */
  readonly query?: readonly string[];
  readonly input?: ZodMiniType;
  readonly response?: z.ZodType;
}

/** The files of the page reveal nothing about this machine and need no token. */
export interface AssetRoute extends RouteBase {
  readonly isAsset: true;
  readonly response?: never;
}

export interface RedirectRoute extends RouteBase {
  readonly isRedirect: true;
  readonly response?: never;
}

/** The Model Context Protocol, whose requests the SDK reads. */
export interface McpRoute extends RouteBase {
  readonly isMcp: true;
  readonly response?: never;
}

export interface SocketRoute extends RouteBase {
  readonly socket: SocketName;
  readonly response?: never;
}

export type ContentName = "page" | "health" | "openapi" | "asyncapi" | "metrics" | "targets" | "fleet-events" | "nodes";
export type SocketName = "pm2-ws";
export type Route = OperationRoute | ContentRoute | AssetRoute | RedirectRoute | McpRoute | SocketRoute;

export function isRemote({ operation }: OperationRoute): boolean {
  return remoteOperations.some(({ id }) => id === operation.id);
}

export function isReadOnly({ access }: Operation<never, unknown>): boolean {
  return access === "read" || access === "logs";
}

/** Another site may link to a `page`. */
interface AccessRequirement {
  readonly access: Access | "none";
  readonly isPage: boolean;
  /** The response depends on the token, even if the route needs none. */
  readonly dependsOnCaller?: boolean;
  /** The response has lines of logs for a caller that may read them. */
  readonly quotesLogs?: boolean;
}

const QUOTING: ReadonlySet<string> = new Set(["process.show", "release.list", "release.show"]);

export function accessRequirement(route: Route | undefined): AccessRequirement {
  if (route === undefined) return { access: "read", isPage: false };
  if ("operation" in route) {
    const { access, id } = route.operation;
    return { access, isPage: false, dependsOnCaller: id === "identity.show", quotesLogs: QUOTING.has(id) };
  }
  if ("isAsset" in route) return { access: "none", isPage: false };
  if ("isRedirect" in route) return { access: "none", isPage: true };
  // The token decides which tools there are, and its name is in the record of each call.
  if ("isMcp" in route) return { access: "read", isPage: false, dependsOnCaller: true };
  // A browser can only send the token after the handshake, so the channel checks it.
  if ("socket" in route) return { access: "none", isPage: false };
  return { access: route.isOpen ? "none" : "read", isPage: route.content === "page" };
}

/** Refusals of every route that takes a body. */
export const bodyRefusals: readonly ErrorKind[] = ["UNSUPPORTED_MEDIA_TYPE", "PAYLOAD_TOO_LARGE"];

type ResponseOf<Output> = Output extends TaggedResponse<infer Response> ? Response : Output;

type OperationOptions<Output> = Omit<
  OperationRoute,
  "method" | "path" | "operation" | "response" | "hasEntityTag" | "runsInBackground" | "refusals"
> & { readonly refusals: readonly ErrorKind[] } & (
    | { readonly response: z.ZodType<ResponseOf<Output>>; readonly runsInBackground?: never }
    | { readonly response: z.ZodType<Begun>; readonly runsInBackground: true }
  ) &
  (Output extends TaggedResponse<unknown> ? { readonly hasEntityTag: true } : { readonly hasEntityTag?: never });

export function operationRoute<Input, Output>(
  method: Method,
  path: string,
  operation: Operation<Input, Output>,
  options: OperationOptions<Output>,
): OperationRoute {
  return { method, path, operation, ...options, hasEntityTag: options.hasEntityTag ?? false };
}

type ContentOptions = Omit<ContentRoute, "method" | "path" | "content" | "mediaType" | "isOpen"> &
  Partial<ContentRoute>;

export function contentRoute(
  path: string,
  content: ContentName,
  { mediaType = "application/json; charset=utf-8", isOpen = false, ...options }: ContentOptions,
): ContentRoute {
  return { method: "GET", path, content, mediaType, isOpen, ...options };
}
