import { failureCode, SvcmError, type Identity, type RefusedAttempt } from "../core/index.ts";
import type { FastifyRequest } from "fastify";
import { REQUEST_CUT_OFF } from "./response.ts";
import { isReadOnly, type Route } from "./route.ts";

/**
 * Covers requests without a valid token, and those that could have changed something, unless their operation has run.
 */
export function toRefusedAttempt(request: FastifyRequest, error: unknown): RefusedAttempt | undefined {
  if (!(error instanceof SvcmError) || error.body.code === REQUEST_CUT_OFF) return undefined;
  const { route } = request.routeOptions.config;
  const { address, hasStarted, identity } = request;
  if (!isTokenRefusal(error) && (hasStarted || !couldChange(route, error))) return undefined;
  return { action: actionOf(route), source: "http", address, code: failureCode(error), ...actorOf(identity) };
}

/** The core refuses these before the operation begins, so they are not recorded yet. */
export function isTokenRefusal({ kind, body: { code } }: SvcmError): boolean {
  return kind === "UNAUTHORIZED" || kind === "RATE_LIMITED" || code === "RIGHT_MISSING" || code === "TOKEN_LIMITED";
}

/** A record contains the address instead of an anonymous caller. */
export function actorOf({ actor, role }: Identity): { readonly actor?: string } {
  return role === undefined || actor === undefined ? {} : { actor };
}

export function hasStartedChange({ hasStarted, routeOptions }: FastifyRequest): boolean {
  const { route } = routeOptions.config;
  return hasStarted && route !== undefined && "operation" in route && !isReadOnly(route.operation);
}

/** A WebSocket accepts actions, so opening one from another site counts as an attempt to act. */
function couldChange(route: Route | undefined, { kind }: SvcmError): boolean {
  if (route === undefined) return false;
  return "socket" in route ? kind === "FORBIDDEN" : "operation" in route && !isReadOnly(route.operation);
}

function actionOf(route: Route | undefined): string {
  if (route === undefined) return "request";
  if ("operation" in route) return route.operation.id;
  if ("socket" in route) return "stream.open";
  return "content" in route ? `${route.content}.read` : "request";
}
