import type { IncomingMessage } from "node:http";
import type { AllowedOrigins } from "../process/allowed-origins.ts";

/** A browser lets any page send requests, so the server must check the origin. Other clients send no origin. */
export function mayConnect({ headers }: IncomingMessage, allowed: AllowedOrigins): boolean {
  const { origin, host } = headers;
  if (origin === undefined || allowed.has(origin)) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}
