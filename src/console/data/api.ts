/** The HTTP API as functions. What they answer is what the server's own schemas describe. */
import type * as z from "zod";
import type * as bodies from "../../core/api/bodies.ts";
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
export type Verdict = Body<"deploymentsVerdictBody">;
export type Metrics = Body<"pm2MetricsBody">;
export type Health = Body<"healthBody">;

/** With the entity tag of the file that was read or written: the `If-Match` of the next write. */
export type Tagged<Shape> = Shape & { readonly entityTag?: string };

export interface Api {
  /** @throws {RequestError} as every function here */
  envRead(environment: string, signal?: AbortSignal): Promise<Tagged<EnvRead>>;
  envWrite(
    change: { readonly environment: string; readonly values: Readonly<Record<string, string>> },
    entityTag?: string,
  ): Promise<Tagged<EnvWrite>>;
  envCheck(environment: string, signal?: AbortSignal): Promise<EnvCheck>;
  envDiff(from: string, to: string, signal?: AbortSignal): Promise<EnvDiff>;
  ecosystem(environment: string, serviceKind?: string, signal?: AbortSignal): Promise<Ecosystem>;
  metrics(environment: string, signal?: AbortSignal): Promise<Metrics>;
  contract(signal?: AbortSignal): Promise<ContractBody>;
  audit(limit: number, signal?: AbortSignal): Promise<Audit>;
  /** @param text of a suite document, YAML or JSON */
  validate(text: string, signal?: AbortSignal): Promise<Verdict>;
  health(signal?: AbortSignal): Promise<Health>;
}

export interface Credentials {
  /** The token that was entered for the server of this page. */
  token(): string | undefined;
  /**
   * Asks the person for a token, in the server's words.
   *
   * @param refused whether a token was sent
   * @returns whether there is one to try now
   */
  demand(problem: Problem, refused: boolean): Promise<boolean>;
}

/** The server at the page's address. */
export interface Peer {
  /**
   * Resolves when the server that answers is the one that this page works with.
   *
   * @throws {RequestError} if it is another one or does not answer
   */
  confirm(): Promise<void>;
  /** A request was answered, whatever it says, or was not. */
  told(isReached: boolean): void;
}

interface Asked {
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** As JSON; a text stays as it is. */
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

interface Answer {
  readonly body: unknown;
  readonly entityTag: string | null;
}

/** Every request but `health` is sent only to the server that this page works with, and only then with its token. */
export function createApi(credentials: Credentials, peer: Peer): Api {
  const send = sender(credentials, peer);
  const ask = async <Shape>(asked: Asked): Promise<Shape> => (await send(asked)).body as Shape;
  const askTagged = async <Shape extends object>(asked: Asked): Promise<Tagged<Shape>> => {
    const { body, entityTag } = await send(asked);
    return { ...(body as Shape), ...(entityTag !== null && { entityTag }) };
  };
  const env = "/api/runtime/env";
  return {
    envRead: (environment, signal) => askTagged({ path: env, query: { environment }, signal }),
    envWrite: (change, entityTag) =>
      askTagged({ path: env, body: change, ...(entityTag !== undefined && { headers: { "if-match": entityTag } }) }),
    envCheck: (environment, signal) => ask({ path: `${env}/check`, query: { environment }, signal }),
    envDiff: (from, to, signal) => ask({ path: `${env}/diff`, query: { from, to }, signal }),
    ecosystem: (environment, serviceKind, signal) =>
      ask({ path: "/api/runtime/pm2-ecosystem", query: { environment, serviceKind }, signal }),
    metrics: (environment, signal) =>
      ask({ path: "/api/runtime/pm2-metrics", query: { environment: environment || undefined }, signal }),
    contract: (signal) => ask({ path: "/api/runtime/contract", signal }),
    audit: (limit, signal) => ask({ path: "/api/runtime/audit", query: { limit: String(limit) }, signal }),
    validate: (text, signal) =>
      ask({ path: "/api/validate", body: text, headers: { "content-type": "application/yaml" }, signal }),
    async health(signal) {
      const response = await answerTo({ path: "/healthz", signal }, undefined, peer);
      if (!response.ok) throw new RequestError(await problemIn(response));
      return (await jsonOf(response)) as Health;
    },
  };
}

/** Sends. If the token is missing or wrong, it asks for one and sends again. */
function sender(credentials: Credentials, peer: Peer) {
  // Reads may be open where writes are not: the token goes only where one was demanded.
  const demanded = new Set<string>();
  return async (asked: Asked): Promise<Answer> => {
    const method = methodOf(asked);
    for (;;) {
      await peer.confirm();
      const token = demanded.has(method) ? credentials.token() : undefined;
      const response = await answerTo(asked, token, peer);
      if (response.ok) return { body: await jsonOf(response), entityTag: response.headers.get("etag") };
      const problem = await problemIn(response);
      if (response.status !== 401) throw new RequestError(problem);
      demanded.add(method);
      // Another request may have brought a token meanwhile.
      const isOld = token !== credentials.token();
      if (!isOld && !(await credentials.demand(problem, token !== undefined))) throw new RequestError(problem);
    }
  };
}

function methodOf({ body }: { readonly body?: Asked["body"] | undefined }): "GET" | "POST" {
  return body === undefined ? "GET" : "POST";
}

async function answerTo(asked: Asked, token: string | undefined, peer: Peer): Promise<Response> {
  try {
    const response = await fetchOf(asked, token);
    peer.told(true);
    return response;
  } catch (error) {
    if (asked.signal?.aborted) throw error;
    peer.told(false);
    throw new RequestError({ error: "The server cannot be reached.", details: `No answer from ${location.host}.` });
  }
}

function fetchOf({ path, query = {}, body, headers, signal }: Asked, token: string | undefined): Promise<Response> {
  const parameters = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const search = parameters.length === 0 ? "" : `?${new URLSearchParams(parameters).toString()}`;
  // Relative: the page may be served under a path.
  return fetch(`.${path}${search}`, {
    method: methodOf({ body }),
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
