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
import type { AccessPolicy } from "./access.ts";
import { failureAnswer, sendFailure } from "./answer.ts";
import { authentication } from "./authentication.ts";
import { bodyLimitOf, takeBodiesAsBytes } from "./body.ts";
import { brokenRequestHandler } from "./broken-request.ts";
import { compressAnswers } from "./compression.ts";
import { watchConnections, type Connections } from "./connections.ts";
import { asRefusal } from "./failure.ts";
import { admit, allowedMethods, guardAll } from "./guard.ts";
import { handlerOf, type Serving } from "./handler.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { logFailure, logReads, withAuditLines, type ServerLog } from "./log.ts";
import { LazyMachines, type OpenMachines } from "./machines.ts";
import { withoutPath } from "./public-url.ts";
import { attemptOf, hasRunToChange } from "./refusals.ts";
import { Rollouts } from "./rollouts.ts";
import { routes } from "./routes.ts";
import { logMessages } from "./socket/log-stream.ts";
import { Channel } from "./socket/channel.ts";
import { actionRunner } from "./socket/run-action.ts";
import type { SessionContext } from "./socket/session-context.ts";
import { recordedHourOf, serialiseOnce } from "./socket/subscription.ts";
import { routeUpgrades } from "./socket/upgrades.ts";

export interface AppOptions {
  readonly ports: Ports;
  readonly version: string;
  readonly policy: AccessPolicy;
  readonly log: ServerLog;
  readonly limits?: Partial<Limits> | undefined;
  readonly publicPath?: string;
  readonly console?: ConsoleFiles;
  readonly machines?: OpenMachines | undefined;
}

export function buildApp(options: AppOptions): FastifyInstance {
  const { version, policy, log, console = { assets: new Map() }, publicPath = "" } = options;
  const limits: Limits = { ...defaultLimits, ...options.limits };
  const ports: Ports = withAuditLines(options.ports, log);
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
  const machines = new LazyMachines(options.machines);
  const session = { ...guard, ...sharedBySockets(ports, log, machines), rollouts, refusals, limits, log };
  const channel = new Channel(session, routeUpgrades(app.server));
  const onBrokenRequest = brokenRequestHandler(connections, limits, log);
  guardAll(app, guard);
  takeBodiesAsBytes(app);
  compressAnswers(app);
  logReads(app, log);
  app.setErrorHandler(fail);
  addRoutes(app, { ports, version, limits, channel, rollouts, console, publicPath, machines });
  app.addHook("preClose", async () => rollouts.stop());
  endInOrder(app, connections, channel, limits.closeTimeoutMs);
  app.addHook("onClose", () => rollouts.settled());
  app.addHook("onClose", () => refusals.close());
  app.addHook("onClose", () => machines.close());
  return app;
}

type Shared = Omit<SessionContext, "policy" | "authenticate" | "rollouts" | "refusals" | "limits" | "log">;

function sharedBySockets(ports: Ports, log: ServerLog, machines: LazyMachines): Shared {
  return {
    machines,
    telemetry: ports.telemetry,
    eventFeed: ports.eventFeed,
    framesOf: serialiseOnce(),
    recordedHour: recordedHourOf(ports),
    logs: ports.logs,
    messageOf: logMessages(),
    act: actionRunner(ports, log, machines),
    mayWatch: async (identity, place) => {
      if (identity.limits !== undefined) await requireWithinLimits(ports, metricsShow, place, identity);
    },
    mayReadLogs: (identity) => authorise(logsRead, ports, {}, identity),
  };
}

interface Failing {
  readonly ports: Ports;
  readonly log: ServerLog;
  readonly limits: Limits;
  readonly refusals: RefusalLog;
}

function failureHandler({ ports, log, limits, refusals }: Failing) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const refusal = asRefusal(error, request, limits);
    const answer = failureAnswer(refusal, allowedMethods(request.raw.url ?? ""));
    const attempt = attemptOf(request, refusal);
    const isRecorded = attempt !== undefined || (ports.workspace.rootSource !== undefined && hasRunToChange(request));
    logFailure(log, request, { answer, error: refusal, isRecorded });
    if (attempt === undefined) sendFailure(reply, answer);
    else void refusals.record(attempt).then(() => sendFailure(reply, answer));
  };
}

function addRoutes(app: FastifyInstance, serving: Serving): void {
  for (const row of routes) {
    const { method, path: url } = row;
    const bodyLimit = bodyLimitOf(row, serving.limits);
    app.route({ method, url, bodyLimit, config: { row }, handler: handlerOf(row, serving) });
  }
}

function serverOptions(limits: Limits, publicPath: string) {
  return {
    rewriteUrl: ({ url = "" }) => (publicPath === "" ? url : withoutPath(publicPath, url)),
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

/** Closes idle sockets at once, and sockets with requests in flight after a timeout. */
function endInOrder(app: FastifyInstance, connections: Connections, channel: Channel, timeoutMs: number): void {
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
