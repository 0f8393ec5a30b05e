import type { IncomingMessage } from "node:http";
import type { AllowedOrigins } from "../process/allowed-origins.ts";

/** Browsers send requests to anywhere, so the server has to refuse. A client that is not a browser names no origin. */
export function mayConnect({ headers }: IncomingMessage, allowed: AllowedOrigins): boolean {
  const { origin, host } = headers;
  if (origin === undefined || allowed.has(origin)) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}
