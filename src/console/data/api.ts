import type {
  AuditListResponse,
  DeploymentsVerdict,
  EcosystemResponse,
  HealthResponse,
} from "../../core/api/bodies.ts";
import type { IdentityResponse as Me } from "../../core/api/identity.ts";
import type { FleetEventsResponse } from "../../core/api/events.ts";
import type { DeclarationsPlanResponse, DeclarationsResponse } from "../../core/api/declarations.ts";
import type { HistoryResponse, RecorderResponse } from "../../core/api/history.ts";
import type { MetricsPayload } from "../../core/api/metrics.ts";
import type { NodesResponse } from "../../core/api/node.ts";
import type { ContractBody } from "./contract.ts";
import { happenings, type EventsQuery } from "./happenings.ts";
import { rolloutCalls } from "./rollouts.ts";
import { envFiles } from "./env-files.ts";
import {
  answerTo,
  askers,
  jsonOf,
  problemIn,
  sender,
  type Peer,
  type Query,
  type Send,
  type Tagged,
} from "./request.ts";
import { RequestError } from "./request-error.ts";
import type { Session } from "../state/session.ts";

export type Repository = Tagged<DeclarationsResponse>;

export type Api = ReturnType<typeof createApi>;

interface About {
  readonly service: () => string | undefined;
  readonly node: string | undefined;
}

/**
 * Every request except `health` goes only to the server that this page works with, and only that server gets the token.
 * Each function throws a {@link RequestError}.
 */
export function createApi(session: Pick<Session, "token" | "demand">, peer: Peer, { service, node }: About) {
  const send = sender(session, peer);
  const asking = askers((request) => send({ ...request, query: { ...request.query, node } }));
  const of = (query: Query): Query => ({ ...query, service: service() });
  const { ask } = asking;
  return {
    ...envFiles(asking, of),
    ecosystem: (environment: string, serviceKind?: string, signal?: AbortSignal) =>
      ask<EcosystemResponse>({ path: "/api/runtime/pm2-ecosystem", query: of({ environment, serviceKind }), signal }),
    metrics: (environment: string, signal?: AbortSignal) =>
      ask<MetricsPayload>({
        path: "/api/runtime/pm2-metrics",
        query: of({ environment: environment || undefined }),
        signal,
      }),
    ...rolloutCalls(ask, of),
    contract: (signal?: AbortSignal) => ask<ContractBody>({ path: "/api/runtime/contract", signal }),
    history: (query: Readonly<Record<"series" | "from" | "to", string>>, signal?: AbortSignal) =>
      ask<HistoryResponse>({ path: "/api/history", query, signal }),
    record: (on: boolean) => ask<RecorderResponse>({ path: "/api/history/recorder", body: { on } }),
    audit: (limit: string, signal?: AbortSignal) =>
      ask<AuditListResponse>({ path: "/api/runtime/audit", query: { limit }, signal }),
    ...happenings(ask, of),
    /** The owner of this tab's token; `undefined` if the server does not accept it. */
    async me(): Promise<Me | undefined> {
      await peer.confirm();
      const response = await answerTo({ path: "/api/me" }, session.token(), peer);
      return response.ok ? ((await jsonOf(response)) as Me) : undefined;
    },
    ...ofThisServer(send),
    async health(): Promise<HealthResponse> {
      const response = await answerTo({ path: "/healthz" }, undefined, peer);
      if (!response.ok) throw new RequestError(await problemIn(response));
      return (await jsonOf(response)) as HealthResponse;
    },
  };
}

function ofThisServer(send: Send) {
  const { ask, askTagged } = askers(send);
  const path = "/api/declarations";
  return {
    fleetEvents: (query: EventsQuery, signal: AbortSignal) =>
      ask<FleetEventsResponse>({ path: "/api/fleet/events", query, signal }),
    nodes: (signal: AbortSignal) => ask<NodesResponse>({ path: "/api/fleet/nodes", signal }),
    validate: (text: string, signal?: AbortSignal) =>
      ask<DeploymentsVerdict>({
        path: "/api/validate",
        body: text,
        headers: { "content-type": "application/yaml" },
        signal,
      }),
    declarations: (signal?: AbortSignal) => askTagged<DeclarationsResponse>({ path, signal }),
    declarationsPlan: (draft: { readonly document: object; readonly from?: object }, signal?: AbortSignal) =>
      ask<DeclarationsPlanResponse>({ path: `${path}/plan`, body: draft, signal }),
    declarationsWrite: (document: object, entityTag: string) =>
      askTagged<DeclarationsResponse>({ path, body: { document }, headers: { "if-match": entityTag } }),
  };
}
