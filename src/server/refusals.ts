import { failureCode, SvcmError, type Identity, type Operation, type RefusedAttempt } from "../core/index.ts";
import type { FastifyRequest } from "fastify";
import { REQUEST_CUT_OFF } from "./failure.ts";
import type { Route } from "./route.ts";

export type { RefusedAttempt, RefusalLog } from "../core/index.ts";

/**
 * Covers requests without a valid token, and those that could have changed something, unless their operation has run.
 */
export function attemptOf(request: FastifyRequest, error: unknown): RefusedAttempt | undefined {
  if (!(error instanceof SvcmError) || error.body.code === REQUEST_CUT_OFF) return undefined;
  const { row } = request.routeOptions.config;
  const { address, hasRun, identity } = request;
  if (!isOfToken(error) && (hasRun || !mayChange(row, error))) return undefined;
  return { action: actionOf(row), source: "http", address, code: failureCode(error), ...actorOf(identity) };
}

/** The core refuses these before the operation begins, so they are not recorded yet. */
export function isOfToken({ kind, body: { code } }: SvcmError): boolean {
  return kind === "UNAUTHORIZED" || kind === "RATE_LIMITED" || code === "RIGHT_MISSING" || code === "TOKEN_LIMITED";
}

/** A record contains the address instead of an anonymous caller. */
export function actorOf({ actor, role }: Identity): { readonly actor?: string } {
  return role === undefined || actor === undefined ? {} : { actor };
}

export function hasRunToChange({ hasRun, routeOptions }: FastifyRequest): boolean {
  const { row } = routeOptions.config;
  return hasRun && row !== undefined && "operation" in row && !isReading(row.operation);
}

/** A WebSocket accepts actions, so opening one from another site counts as an attempt to act. */
function mayChange(row: Route | undefined, { kind }: SvcmError): boolean {
  if (row === undefined) return false;
  return "socket" in row ? kind === "FORBIDDEN" : "operation" in row && !isReading(row.operation);
}

function isReading({ access }: Operation<never, unknown>): boolean {
  return access === "read" || access === "logs";
}

function actionOf(row: Route | undefined): string {
  if (row === undefined) return "request";
  if ("operation" in row) return row.operation.id;
  if ("socket" in row) return "stream.open";
  return "content" in row ? `${row.content}.read` : "request";
}
