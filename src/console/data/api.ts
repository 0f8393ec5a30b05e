import type {
  AuditListResponse,
  DeploymentsVerdict,
  EcosystemResponse,
  EnvCheckResponse,
  EnvDiffResponse,
  EnvReadResponse,
  EnvWriteResponse,
  HealthResponse,
} from "../../core/api/bodies.ts";
import type { IdentityResponse } from "../../core/api/identity.ts";
import type { EventsResponse, FleetEventsResponse, ProcessShowResponse } from "../../core/api/events.ts";
import type { DeclarationsPlanResponse, DeclarationsResponse } from "../../core/api/declarations.ts";
import type { DeployPlan } from "../../core/api/deploy.ts";
import type { HistoryResponse, RecorderResponse } from "../../core/api/history.ts";
import type { LogsResponse } from "../../core/api/logs.ts";
import type { MarkListResponse } from "../../core/api/alerts.ts";
import type { MetricsPayload } from "../../core/api/metrics.ts";
import type { NodesResponse } from "../../core/api/node.ts";
import type { Proposal, ProposalListResponse } from "../../core/api/proposals.ts";
import type { Begun, RollbackPlan } from "../../core/api/rollout-requests.ts";
import type { Plan, Release } from "../../core/api/rollout.ts";
import type { ContractBody } from "./contract.ts";
import {
  createRequests,
  createSender,
  fetchResponse,
  parseJson,
  readProblem,
  type Peer,
  type Query,
  type Requests,
  type Send,
  type Tagged,
} from "./request.ts";
import { RequestError } from "./request-error.ts";
import type { Session } from "../state/session.ts";

export type Repository = Tagged<DeclarationsResponse>;

export type Api = ReturnType<typeof createApi>;

interface Target {
  readonly service: () => string | undefined;
  readonly node: string | undefined;
}

type EventsQuery = Query;

/** Must match the plan, because its id depends on them. */
export type PlanChoices = Omit<Plan["choices"], "service">;

/** Adds the selected service to a query. */
type WithService = (query: Query) => Query;

/**
 * Every request except `health` goes only to the server that this page works with, and only that server gets the token.
 * Each function throws a {@link RequestError}.
 */
export function createApi(session: Pick<Session, "token" | "demand">, peer: Peer, { service, node }: Target) {
  const send = createSender(session, peer);
  const requests = createRequests((request) => send({ ...request, query: { ...request.query, node } }));
  const withService: WithService = (query) => ({ ...query, service: service() });
  return {
    ...envFileRequests(requests, withService),
    ...processRequests(requests, withService),
    ...rolloutRequests(requests, withService),
    ...serverRequests(send),
    contract: (signal?: AbortSignal) => requests.request<ContractBody>({ path: "/api/runtime/contract", signal }),
    /** The owner of this tab's token; `undefined` if the server does not accept it. */
    async me(): Promise<IdentityResponse | undefined> {
      await peer.confirm();
      const response = await fetchResponse({ path: "/api/me" }, session.token(), peer);
      return response.ok ? ((await parseJson(response)) as IdentityResponse) : undefined;
    },
    async health(): Promise<HealthResponse> {
      const response = await fetchResponse({ path: "/healthz" }, undefined, peer);
      if (!response.ok) throw new RequestError(await readProblem(response));
      return (await parseJson(response)) as HealthResponse;
    },
  };
}

function envFileRequests({ request, requestTagged }: Requests, withService: WithService) {
  const path = "/api/runtime/env";
  return {
    envRead: (environment: string, signal?: AbortSignal) =>
      requestTagged<EnvReadResponse>({ path, query: withService({ environment }), signal }),
    envWrite: (
      change: { readonly environment: string; readonly values: Readonly<Record<string, string>> },
      entityTag?: string,
    ) =>
      requestTagged<EnvWriteResponse>({
        path,
        body: { ...change, ...withService({}) },
        ...(entityTag !== undefined && { headers: { "if-match": entityTag } }),
      }),
    envCheck: (environment: string, signal?: AbortSignal) =>
      request<EnvCheckResponse>({ path: `${path}/check`, query: withService({ environment }), signal }),
    envDiff: (from: string, to: string, signal?: AbortSignal) =>
      request<EnvDiffResponse>({ path: `${path}/diff`, query: withService({ from, to }), signal }),
  };
}

/** Without an end, the mute ends. */
interface MuteRequest {
  readonly subject: string;
  readonly kinds?: readonly string[];
  readonly until?: string;
  readonly reason?: string;
}

function processRequests({ request }: Requests, withService: WithService) {
  return {
    ecosystem: (environment: string, serviceKind?: string, signal?: AbortSignal) =>
      request<EcosystemResponse>({
        path: "/api/runtime/pm2-ecosystem",
        query: withService({ environment, serviceKind }),
        signal,
      }),
    metrics: (environment: string, signal?: AbortSignal) =>
      request<MetricsPayload>({
        path: "/api/runtime/pm2-metrics",
        query: withService({ environment: environment || undefined }),
        signal,
      }),
    process: (name: string, environment: string, signal?: AbortSignal) =>
      request<ProcessShowResponse>({
        path: "/api/runtime/process",
        query: withService({ name, environment: environment || undefined }),
        signal,
      }),
    logs: (query: Query) => request<LogsResponse>({ path: "/api/logs", query }),
    events: (query: EventsQuery, signal?: AbortSignal) =>
      request<EventsResponse>({ path: "/api/events", query, signal }),
    history: (query: Readonly<Record<"series" | "from" | "to", string>>, signal?: AbortSignal) =>
      request<HistoryResponse>({ path: "/api/history", query, signal }),
    marks: () => request<MarkListResponse>({ path: "/api/marks" }),
    mute: (body: MuteRequest) => request<MarkListResponse>({ path: "/api/marks/mute", body }),
    note: (body: { readonly subject: string; readonly text: string }) =>
      request<MarkListResponse>({ path: "/api/marks/note", body }),
    proposals: () => request<ProposalListResponse>({ path: "/api/proposals" }),
    approve: (id: string, planId: string, deployPlan?: string) =>
      request<Proposal>({ path: "/api/proposals/approve", body: { id, planId, deployPlan } }),
    deny: (id: string) => request<Proposal>({ path: "/api/proposals/deny", body: { id } }),
    record: (on: boolean) => request<RecorderResponse>({ path: "/api/history/recorder", body: { on } }),
    audit: (limit: string, signal?: AbortSignal) =>
      request<AuditListResponse>({ path: "/api/runtime/audit", query: { limit }, signal }),
  };
}

interface PrepareRequest {
  readonly service?: string | undefined;
  readonly environment: string;
  /** By default the branch that the checkout of the server follows. */
  readonly revision: string | undefined;
}

interface ApplyRequest extends PlanChoices {
  readonly environment: string;
  readonly plan: string;
  readonly switchEnvironment?: true;
  readonly switchCheckout?: true;
  readonly allowDirty: boolean;
  readonly message: string | undefined;
}

function rolloutRequests({ request }: Requests, withService: WithService) {
  return {
    plan: (environment: string, { prune, preflight, apps, restart }: PlanChoices, signal?: AbortSignal) =>
      request<Plan>({
        path: "/api/runtime/plan",
        query: withService({
          environment: environment || undefined,
          ...(prune && { prune: "true" }),
          ...(preflight && { preflight: "true" }),
          apps: apps?.join(","),
          restart: restart === true ? "true" : restart,
        }),
        signal,
      }),
    apply: (body: ApplyRequest) =>
      request<Begun>({ path: "/api/runtime/apply", body: { ...withService({}), ...body } }),
    prepareDeploy: (body: PrepareRequest, signal?: AbortSignal) =>
      request<DeployPlan>({ path: "/api/runtime/deploy/plan", body: { ...withService({}), ...body }, signal }),
    deploy: (body: PrepareRequest & Pick<ApplyRequest, "plan" | "switchEnvironment" | "switchCheckout">) =>
      request<Begun>({ path: "/api/runtime/deploy", body: { ...withService({}), ...body } }),
    rollbackPlan: (release: string, signal?: AbortSignal) =>
      request<RollbackPlan>({ path: "/api/runtime/rollback", query: { release }, signal }),
    rollback: (release: string, plan: string) =>
      request<Begun>({ path: "/api/runtime/rollback", body: { release, plan } }),
    releases: (signal?: AbortSignal) =>
      request<{ readonly releases: readonly Release[] }>({ path: "/api/runtime/releases", signal }),
    release: (id: string) => request<Release>({ path: `/api/runtime/releases/${encodeURIComponent(id)}` }),
  };
}

/** These go to the server itself, not to the machine that the page shows. */
function serverRequests(send: Send) {
  const { request, requestTagged } = createRequests(send);
  const path = "/api/declarations";
  return {
    fleetEvents: (query: EventsQuery, signal: AbortSignal) =>
      request<FleetEventsResponse>({ path: "/api/fleet/events", query, signal }),
    nodes: (signal: AbortSignal) => request<NodesResponse>({ path: "/api/fleet/nodes", signal }),
    validate: (text: string, signal?: AbortSignal) =>
      request<DeploymentsVerdict>({
        path: "/api/validate",
        body: text,
        headers: { "content-type": "application/yaml" },
        signal,
      }),
    declarations: (signal?: AbortSignal) => requestTagged<DeclarationsResponse>({ path, signal }),
    declarationsPlan: (draft: { readonly document: object; readonly from?: object }, signal?: AbortSignal) =>
      request<DeclarationsPlanResponse>({ path: `${path}/plan`, body: draft, signal }),
    declarationsWrite: (document: object, entityTag: string) =>
      requestTagged<DeclarationsResponse>({ path, body: { document }, headers: { "if-match": entityTag } }),
  };
}
