import type { FastifyInstance, FastifyRequest } from "fastify";
import { pino, type Logger } from "pino";
import { auditText, failureCode, SvcmError, toPrintable, type AuditRecord, type Ports } from "../core/index.ts";
import { errorStack } from "../core/words/thrown.ts";
import { withMembers } from "../core/words/record.ts";
import { type FailureResponse, REQUEST_CUT_OFF } from "./response.ts";
import type { LogForm, LogLevel } from "./settings.ts";

export type ServerLog = Logger;

export interface LogDestination {
  readonly isTTY?: boolean | undefined;
  write(line: string): void;
}

export interface LogSettings {
  readonly logLevel: LogLevel;
  readonly logForm: LogForm | undefined;
}

/** Lines never contain a header, a query, a body or a value. */
export function serverLog({ logLevel: level, logForm }: LogSettings, destination: LogDestination): ServerLog {
  const form = logForm ?? (destination.isTTY === true ? "text" : "json");
  const lines = form === "text" ? textDestination(destination) : destination;
  return pino({ level, base: { pid: process.pid }, timestamp: () => `,"time":"${new Date().toISOString()}"` }, lines);
}

/** Standard output is for the ready line only. A closed reader is not a failure. */
export function standardError(): LogDestination {
  process.stderr.on("error", () => undefined);
  return process.stderr;
}

/** A refusal is logged even if it could not be recorded. */
export function withAuditLog(ports: Ports, log: ServerLog): Ports {
  const { audit } = ports;
  return withMembers(ports, {
    audit: {
      async append(record) {
        const isProblem = record.outcome === "refused" || record.outcome === "failed";
        try {
          await audit.append(record);
        } catch (error) {
          if (isProblem) log.warn(record, "audit, not recorded");
          throw error;
        }
        log[isProblem ? "warn" : "info"](record, "audit");
      },
      newest: (query, signal) => audit.newest(query, signal),
      check: () => audit.check(),
      counts: () => audit.counts(),
    } satisfies Ports["audit"],
  });
}

export interface LoggedFailure {
  readonly response: FailureResponse;
  readonly error: unknown;
  readonly isAudited: boolean;
}

/** Defects include their stack. `audited` marks outcomes that an audit line also reports, recorded or not. */
export function logFailure(
  log: ServerLog,
  request: FastifyRequest,
  { response, error, isAudited }: LoggedFailure,
): void {
  const line = {
    ...requestFields(request, response.status),
    code: failureCode(error),
    ...(isAudited && { audited: true }),
  };
  // A disconnected client is neither a refusal nor a failure of the server.
  if (error instanceof SvcmError && error.body.code === REQUEST_CUT_OFF) log.debug(line, "request cut off");
  // Its audit line is logged instead, at most once a second for each address.
  else if (response.status === 401 || response.status === 429) log.debug(line, "request refused");
  else if (response.status < 500) log.warn(line, "request refused");
  else log.error(error instanceof SvcmError ? line : { ...line, stack: errorStack(error) }, "request failed");
}

/** At other levels, the hook would only cost time. */
export function logReads(app: FastifyInstance, log: ServerLog): void {
  if (!log.isLevelEnabled("debug")) return;
  app.addHook("onResponse", (request, reply, done) => {
    if (reply.statusCode < 400) log.debug(requestFields(request, reply.statusCode), "request answered");
    done();
  });
}

function requestFields(request: FastifyRequest, status: number) {
  const { method, routeOptions, startedAt } = request;
  return { method, route: routeOptions.url ?? null, status, ms: Math.round((performance.now() - startedAt) * 10) / 10 };
}

interface LogEntry {
  readonly time: string;
  readonly level: number;
  readonly pid: number;
  readonly msg: string;
}

const WARN = 40;
const ERROR = 50;

export function textDestination(destination: LogDestination): LogDestination {
  return {
    write(line) {
      const text = renderLine(JSON.parse(line) as LogEntry & Readonly<Record<string, unknown>>);
      if (text !== undefined) destination.write(`${text}\n`);
    },
  };
}

/** `undefined` if another line reports the same: an attempt and its outcome are one line. */
function renderLine(line: LogEntry & Readonly<Record<string, unknown>>): string | undefined {
  const { time, level, pid: _pid, msg, stack, audited, ...facts } = line;
  const frames = typeof stack === "string" ? stack.split("\n").map((frame) => `\n  ${toPrintable(frame)}`) : [];
  if (audited === true && frames.length === 0) return undefined;
  const record = msg.startsWith("audit") ? (facts as unknown as AuditRecord) : undefined;
  if (record?.outcome === "started") return undefined;
  const subject =
    record === undefined ? [msg, ...fieldWords(facts)] : [...auditWords(record), msg.slice("audit, ".length)];
  const words = [auditText.formatTimestamp(time), ...severityWords(level, record), ...subject].filter(
    (word) => word !== "",
  );
  return toPrintable(words.join("  ")) + frames.join("");
}

function severityWords(level: number, record: AuditRecord | undefined): string[] {
  if (record !== undefined || level < WARN) return [];
  return [level < ERROR ? "warning" : "error"];
}

function auditWords(record: AuditRecord): string[] {
  const { action, environment = "", address, ms } = record;
  const from = address === undefined ? "" : `from ${address}`;
  const took = ms === undefined ? "" : `${ms} ms`;
  const { subjectText, callerText, outcomeText } = auditText;
  return [action, environment, subjectText(record), `by ${callerText(record)}`, from, outcomeText(record), took];
}

function fieldWords({ method, route, status, code, ms, ...rest }: Readonly<Record<string, unknown>>): string[] {
  const request = [method, method === undefined ? undefined : (route ?? "(no route)"), status, code];
  const took = ms === undefined ? undefined : `${toWord(ms)} ms`;
  const named = Object.entries(rest).map(([name, value]) => `${name} ${toWord(value)}`);
  return [...request, took, ...named].flatMap((fact) => (fact === undefined ? [] : [toWord(fact)]));
}

function toWord(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
