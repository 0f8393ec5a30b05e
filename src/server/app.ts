import Fastify, {
  type FastifyInstance,
  type FastifyHttpOptions,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import type { Server } from "node:http";
import {
  authorise,
  logsRead,
  metricsShow,
  RefusalLog,
  requireWithinLimits,
  type ConsoleFiles,
  type Ports,
} from "../core/index.ts";
import { type AccessPolicy, authentication } from "./access.ts";
import {
  compressResponses,
  failureResponse,
  hasStartedChange,
  sendFailure,
  toRefusal,
  toRefusedAttempt,
} from "./response.ts";
import { maxBodyBytesOf, parseBodiesAsBytes } from "./body.ts";
import { brokenRequestHandler, watchConnections, type Connections } from "./connections.ts";
import { admit, allowedMethods, guardRequests } from "./guard.ts";
import { createHandler, type HandlerContext } from "./handler.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { logFailure, logReads, withAuditLog, type ServerLog } from "./log.ts";
import { Fleet, type ConnectFleet } from "./fleet.ts";
import { stripPublicPath } from "./host.ts";
import { Rollouts } from "./rollouts.ts";
import { routes } from "./routes.ts";
import { Mcp, type OpenMcp } from "./mcp.ts";
import { logMessages } from "./socket/log-stream.ts";
import { Channel } from "./socket/channel.ts";
import { actionRunner } from "./socket/run-action.ts";
import type { SessionContext } from "./socket/session-context.ts";
import { createRecordedHour, createSampleMessages } from "./socket/peer.ts";
import { routeUpgrades } from "./socket/handshake.ts";

export interface AppOptions {
  readonly ports: Ports;
  readonly version: string;
  readonly policy: AccessPolicy;
  readonly log: ServerLog;
  readonly limits?: Partial<Limits> | undefined;
  readonly publicPath?: string;
  readonly console?: ConsoleFiles;
  readonly connectFleet?: ConnectFleet | undefined;
  readonly openMcp?: OpenMcp | undefined;
}

export function buildApp(options: AppOptions): FastifyInstance {
  const { version, policy, log, console = { assets: new Map() }, publicPath = "" } = options;
  const limits: Limits = { ...defaultLimits, ...options.limits };
  const ports: Ports = withAuditLog(options.ports, log);
  const guard = { policy, authenticate: authentication(policy, limits.attempts) };
  const refusals = new RefusalLog(ports);
  const fail = failureHandler({ ports, log, limits, refusals });
  const app = Fastify({
    ...serverOptions(limits, publicPath),
    frameworkErrors: (error, request, reply) => {
      try {
        admit(guard, request, undefined);
        fail(error, request, reply);
      } catch (refusal) {
        fail(refusal, request, reply);
      }
    },
    clientErrorHandler: (error, socket) => onBrokenRequest(error, socket),
  });
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
  const connections = watchConnections(app.server, limits);
  const rollouts = new Rollouts(ports, log);
  const fleet = new Fleet(options.connectFleet);
  const { openMcp } = options;
  const mcp = new Mcp(
    openMcp &&
      (() =>
        openMcp(
          ports,
          (line) => log.error(line),
          (...request) => fleet.askAs(...request),
        )),
  );
  const session = { ...guard, ...channelContext(ports, log, fleet), rollouts, refusals, limits, log };
  const channel = new Channel(session, routeUpgrades(app.server));
  const onBrokenRequest = brokenRequestHandler(connections, limits, log);
  guardRequests(app, guard);
  parseBodiesAsBytes(app);
  compressResponses(app);
  logReads(app, log);
  app.setErrorHandler(fail);
  addRoutes(app, { ports, version, limits, channel, rollouts, console, publicPath, fleet, mcp });
  app.addHook("preClose", async () => rollouts.stop());
  closeGracefully(app, connections, channel, limits.closeTimeoutMs);
  app.addHook("onClose", () => rollouts.settled());
  app.addHook("onClose", () => mcp.close());
  app.addHook("onClose", () => refusals.close());
  app.addHook("onClose", () => fleet.close());
  return app;
}

type ChannelContext = Omit<SessionContext, "policy" | "authenticate" | "rollouts" | "refusals" | "limits" | "log">;

function channelContext(ports: Ports, log: ServerLog, fleet: Fleet): ChannelContext {
  return {
    fleet,
    telemetry: ports.telemetry,
    eventFeed: ports.eventFeed,
    sampleMessages: createSampleMessages(),
    recordedHour: createRecordedHour(ports),
    logs: ports.logs,
    logMessage: logMessages(),
    runAction: actionRunner(ports, log, fleet),
    requireWatchAccess: async (identity, { environment, service }) => {
      if (identity.limits === undefined) return;
      await requireWithinLimits(ports, metricsShow, { environment, service }, identity);
    },
    // A node decides by its own declarations, at each poll.
    requireLogAccess: ({ limits, ...identity }, { apps, node }) =>
      authorise(logsRead, ports, { apps }, { ...identity, ...(node === undefined && limits && { limits }) }),
  };
}

interface FailureContext {
  readonly ports: Ports;
  readonly log: ServerLog;
  readonly limits: Limits;
  readonly refusals: RefusalLog;
}

function failureHandler({ ports, log, limits, refusals }: FailureContext) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const failure = toRefusal(error, request, limits);
    const response = failureResponse(failure, allowedMethods(request.raw.url ?? ""));
    const attempt = toRefusedAttempt(request, failure);
    const isAudited = attempt !== undefined || (ports.workspace.rootSource !== undefined && hasStartedChange(request));
    logFailure(log, request, { response, error: failure, isAudited });
    if (attempt === undefined) sendFailure(reply, response);
    else void refusals.record(attempt).then(() => sendFailure(reply, response));
  };
}

function addRoutes(app: FastifyInstance, context: HandlerContext): void {
  for (const route of routes) {
    const { method, path: url } = route;
    const bodyLimit = maxBodyBytesOf(route, context.limits);
    app.route({ method, url, bodyLimit, config: { route: route }, handler: createHandler(route, context) });
  }
}

function serverOptions(limits: Limits, publicPath: string) {
  return {
    rewriteUrl: ({ url = "" }) => (publicPath === "" ? url : stripPublicPath(publicPath, url)),
    bodyLimit: limits.maxBodyBytes,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    // windDown refuses new connections, while requests in flight are completed.
    return503OnClosing: false,
    http: {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
      maxHeaderSize: limits.maxHeaderBytes,
      // The guard refuses a missing header with svcm's error body.
      requireHostHeader: false,
    },
  } satisfies FastifyHttpOptions<Server>;
}

function closeGracefully(app: FastifyInstance, connections: Connections, channel: Channel, timeoutMs: number): void {
  let timer: NodeJS.Timeout | undefined;
  app.addHook("preClose", async () => {
    connections.windDown();
    timer = setTimeout(() => app.server.closeAllConnections(), timeoutMs);
    await channel.close();
  });
  app.addHook("onClose", (_app, done) => {
    clearTimeout(timer);
    done();
  });
}
