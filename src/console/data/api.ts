/** The HTTP API as functions; their answers have the types of the server's schemas. */
import type * as z from "zod";
import type * as bodies from "../../core/api/bodies.ts";
import type { IdentityResponse as Me } from "../../core/api/identity.ts";
import type { FleetEventsResponse } from "../../core/api/events.ts";
import type { DeclarationsPlanResponse, DeclarationsResponse } from "../../core/api/declarations.ts";
import type { HistoryResponse, RecorderResponse } from "../../core/api/history.ts";
import type { NodesResponse } from "../../core/api/node.ts";
import { happenings, type EventsQuery } from "./happenings.ts";
import { rolloutCalls } from "./rollouts.ts";
import type { Session } from "../state/session.ts";
import { RequestError, type ErrorBody, type Problem } from "./request-error.ts";

type Body<Name extends keyof typeof bodies> = (typeof bodies)[Name] extends z.ZodType<infer Shape> ? Shape : never;

export type EnvRead = Body<"envReadBody">;
export type EnvWrite = Body<"envWrittenBody">;
export type EnvCheck = Body<"envCheckBody">;
export type EnvDiff = Body<"envDiffBody">;
export type Ecosystem = Body<"ecosystemBody">;
export type ContractBody = Body<"contractBody">;
export type Audit = Body<"auditBody">;
export type AuditRecord = Audit["records"][number];
export type Repository = Tagged<DeclarationsResponse>;
export type DraftPlan = DeclarationsPlanResponse;
export type { ProcessShowResponse, SvcmEvent } from "../../core/api/events.ts";
export type Verdict = Body<"deploymentsVerdictBody">;
export type Metrics = Body<"pm2MetricsBody">;
export type Recorded = HistoryResponse;
export type Health = Body<"healthBody">;

/** With the entity tag of the file: the `If-Match` of the next write. */
export type Tagged<Shape> = Shape & { readonly entityTag?: string };

export type Api = ReturnType<typeof createApi>;

export interface Peer {
  /**
   * Resolves if the server that answers is the one that this page works with.
   *
   * @throws {RequestError} if another server answers, or none
   */
  confirm(): Promise<void>;
  note(isReached: boolean): void;
}

interface Request {
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON; a text is sent as it is. */
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

interface Answer {
  readonly body: unknown;
  readonly entityTag: string | null;
}

const ENV = "/api/runtime/env";

/** The service and the machine that requests are about. */
interface About {
  readonly service: () => string | undefined;
  readonly node: string | undefined;
}

/**
 * Every request but `health` goes only to the server that this page works with, and only that server gets the token.
 * Each function throws a {@link RequestError}.
 */
export function createApi(session: Pick<Session, "token" | "demand">, peer: Peer, { service, node }: About) {
  const send = sender(session, peer);
  const { ask, askTagged } = askers((request) => send({ ...request, query: { ...request.query, node } }));
  const of = (query: Query): Query => ({
    ...query,
    service: service(),
  });
  return {
    envRead: (environment: string, signal?: AbortSignal) =>
      askTagged<EnvRead>({ path: ENV, query: of({ environment }), signal }),
    envWrite: (
      change: { readonly environment: string; readonly values: Readonly<Record<string, string>> },
      entityTag?: string,
    ) =>
      askTagged<EnvWrite>({
        path: ENV,
        body: { ...change, service: service() },
        ...(entityTag !== undefined && { headers: { "if-match": entityTag } }),
      }),
    envCheck: (environment: string, signal?: AbortSignal) =>
      ask<EnvCheck>({ path: `${ENV}/check`, query: of({ environment }), signal }),
    envDiff: (from: string, to: string, signal?: AbortSignal) =>
      ask<EnvDiff>({ path: `${ENV}/diff`, query: of({ from, to }), signal }),
    ecosystem: (environment: string, serviceKind?: string, signal?: AbortSignal) =>
      ask<Ecosystem>({ path: "/api/runtime/pm2-ecosystem", query: of({ environment, serviceKind }), signal }),
    metrics: (environment: string, signal?: AbortSignal) =>
      ask<Metrics>({ path: "/api/runtime/pm2-metrics", query: of({ environment: environment || undefined }), signal }),
    ...rolloutCalls(ask, of),
    contract: (signal?: AbortSignal) => ask<ContractBody>({ path: "/api/runtime/contract", signal }),
    history: (query: Readonly<Record<"series" | "from" | "to", string>>, signal?: AbortSignal) =>
      ask<Recorded>({ path: "/api/history", query, signal }),
    record: (on: boolean) => ask<RecorderResponse>({ path: "/api/history/recorder", body: { on } }),
    audit: (limit: string, signal?: AbortSignal) =>
      ask<Audit>({ path: "/api/runtime/audit", query: { limit }, signal }),
    ...happenings(ask, of),
    /** The owner of this tab's token; `undefined` if the server does not accept it. */
    async me(): Promise<Me | undefined> {
      await peer.confirm();
      const response = await answerTo({ path: "/api/me" }, session.token(), peer);
      return response.ok ? ((await jsonOf(response)) as Me) : undefined;
    },
    ...ofThisServer(send),
    async health(): Promise<Health> {
      const response = await answerTo({ path: "/healthz" }, undefined, peer);
      if (!response.ok) throw new RequestError(await problemIn(response));
      return (await jsonOf(response)) as Health;
    },
  };
}

type Query = NonNullable<Request["query"]>;

type Send = (request: Request) => Promise<Answer>;

function askers(send: Send) {
  return {
    ask: async <Shape>(request: Request): Promise<Shape> => (await send(request)).body as Shape,
    askTagged: async <Shape extends object>(request: Request): Promise<Tagged<Shape>> => {
      const { body, entityTag } = await send(request);
      return { ...(body as Shape), ...(entityTag !== null && { entityTag }) };
    },
  };
}

/** The deployments document of the repository, and the machines of the fleet. */
function ofThisServer(send: Send) {
  const { ask, askTagged } = askers(send);
  const path = "/api/declarations";
  return {
    fleetEvents: (query: EventsQuery, signal: AbortSignal) =>
      ask<FleetEventsResponse>({ path: "/api/fleet/events", query, signal }),
    nodes: (signal: AbortSignal) => ask<NodesResponse>({ path: "/api/fleet/nodes", signal }),
    validate: (text: string, signal?: AbortSignal) =>
      ask<Verdict>({ path: "/api/validate", body: text, headers: { "content-type": "application/yaml" }, signal }),
    declarations: (signal?: AbortSignal) => askTagged<DeclarationsResponse>({ path, signal }),
    declarationsPlan: (draft: { readonly document: object; readonly from?: object }, signal?: AbortSignal) =>
      ask<DraftPlan>({ path: `${path}/plan`, body: draft, signal }),
    declarationsWrite: (document: object, entityTag: string) =>
      askTagged<DeclarationsResponse>({ path, body: { document }, headers: { "if-match": entityTag } }),
  };
}

/** Sends a request; if the token is missing or wrong, asks the user for one and sends the request again. */
function sender(session: Pick<Session, "token" | "demand">, peer: Peer) {
  // Reads may be open when writes are not: the token goes only with the methods that demanded it.
  const demanded = new Set<string>();
  return async (request: Request): Promise<Answer> => {
    const method = methodOf(request);
    for (;;) {
      await peer.confirm();
      const token = demanded.has(method) ? session.token() : undefined;
      const response = await answerTo(request, token, peer);
      if (response.ok) return { body: await jsonOf(response), entityTag: response.headers.get("etag") };
      const problem = await problemIn(response);
      if (response.status !== 401) throw new RequestError(problem);
      demanded.add(method);
      // Another request may have got a token meanwhile.
      const isOld = token !== session.token();
      if (!isOld && !(await session.demand(problem, token !== undefined))) throw new RequestError(problem);
    }
  };
}

function methodOf({ body }: Request): "GET" | "POST" {
  return body === undefined ? "GET" : "POST";
}

async function answerTo(request: Request, token: string | undefined, peer: Peer): Promise<Response> {
  try {
    const response = await fetchOf(request, token);
    peer.note(true);
    return response;
  } catch (error) {
    if (request.signal?.aborted) throw error;
    peer.note(false);
    throw new RequestError({ error: "The server cannot be reached.", details: `No answer from ${location.host}.` });
  }
}

function fetchOf(request: Request, token: string | undefined): Promise<Response> {
  const { path, query = {}, body, headers, signal } = request;
  const parameters = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const search = parameters.length === 0 ? "" : `?${new URLSearchParams(parameters).toString()}`;
  // Relative, because the page may be served under a path.
  return fetch(`.${path}${search}`, {
    method: methodOf(request),
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
    redirect: "error",
  });
}

async function jsonOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    throw new RequestError({ error: "The server's answer cannot be read.", status: response.status });
  }
}

async function problemIn(response: Response): Promise<Problem> {
  const body = (await response.json().catch(() => undefined)) as Partial<ErrorBody> | undefined;
  const { status } = response;
  if (typeof body?.error !== "string") return { error: `The server answered ${status}.`, status };
  return { ...body, error: body.error, status };
}
