import type { FastifyInstance, FastifyRequest } from "fastify";
import { pino, type Logger } from "pino";
import { failureCode, SvcmError, type Ports } from "../core/index.ts";
import { errorStack } from "../core/words/thrown.ts";
import type { FailureAnswer } from "./answer.ts";
import { REQUEST_CUT_OFF } from "./failure.ts";
import { textLines, type LogDestination } from "./log-text.ts";
import type { LogForm, LogLevel } from "./settings.ts";

export type ServerLog = Logger;

export interface LogSettings {
  readonly logLevel: LogLevel;
  readonly logForm: LogForm | undefined;
}

/** Lines never contain a header, a query, a body or a value. */
export function serverLog({ logLevel: level, logForm }: LogSettings, destination: LogDestination): ServerLog {
  const form = logForm ?? (destination.isTTY === true ? "text" : "json");
  const lines = form === "text" ? textLines(destination) : destination;
  return pino({ level, base: { pid: process.pid }, timestamp: readableTime }, lines);
}

function readableTime(): string {
  return `,"time":"${new Date().toISOString()}"`;
}

/** Standard output is for the ready line only. A closed reader is not a failure. */
export function standardError(): LogDestination {
  process.stderr.on("error", () => undefined);
  return process.stderr;
}

/** A refusal is logged even if it could not be recorded. */
export function withAuditLines(ports: Ports, log: ServerLog): Ports {
  const { audit } = ports;
  return {
    ...ports,
    audit: {
      async append(record) {
        const isBad = record.outcome === "refused" || record.outcome === "failed";
        try {
          await audit.append(record);
        } catch (error) {
          if (isBad) log.warn(record, "audit, not recorded");
          throw error;
        }
        log[isBad ? "warn" : "info"](record, "audit");
      },
      newest: (query, signal) => audit.newest(query, signal),
      check: () => audit.check(),
      counts: () => audit.counts(),
    },
  };
}

export interface LoggedFailure {
  readonly answer: FailureAnswer;
  readonly error: unknown;
  readonly isRecorded: boolean;
}

/** Defects include their stack. `recorded` marks outcomes that an audit line also reports. */
export function logFailure(
  log: ServerLog,
  request: FastifyRequest,
  { answer, error, isRecorded }: LoggedFailure,
): void {
  const line = { ...factsOf(request, answer.status), code: failureCode(error), ...(isRecorded && { recorded: true }) };
  // A disconnected client is neither a refusal nor a failure of the server.
  if (error instanceof SvcmError && error.body.code === REQUEST_CUT_OFF) log.debug(line, "request cut off");
  // Its audit line is logged instead, at most once a second for each address.
  else if (answer.status === 401 || answer.status === 429) log.debug(line, "request refused");
  else if (answer.status < 500) log.warn(line, "request refused");
  else log.error(error instanceof SvcmError ? line : { ...line, stack: errorStack(error) }, "request failed");
}

/** At other levels, the hook would only cost time. */
export function logReads(app: FastifyInstance, log: ServerLog): void {
  if (!log.isLevelEnabled("debug")) return;
  app.addHook("onResponse", (request, reply, done) => {
    if (reply.statusCode < 400) log.debug(factsOf(request, reply.statusCode), "request answered");
    done();
  });
}

function factsOf(request: FastifyRequest, status: number) {
  const { method, routeOptions, startedAt } = request;
  return { method, route: routeOptions.url ?? null, status, ms: Math.round((performance.now() - startedAt) * 10) / 10 };
}
