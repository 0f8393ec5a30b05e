import type { IncomingMessage } from "node:http";
import type { AllowedOrigins } from "../../process/allowed-origins.ts";

/**
 * Returns the CORS headers. For an origin that is not allowed there are none, and the browser hides the answer from its page.
 *
 * @param methods what is allowed at the path, for the question before a request
 */
export function corsHeaders(
  { headers, method }: IncomingMessage,
  methods: readonly string[],
  allowed: AllowedOrigins,
): Readonly<Record<string, string>> {
  if (allowed.size === 0) return {};
  // Caches must not give the answer for one origin to another.
  const vary = { vary: "Origin" };
  if (headers.origin === undefined || !allowed.has(headers.origin)) return vary;
  const named = { ...vary, "access-control-allow-origin": headers.origin };
  if (method !== "OPTIONS" || headers["access-control-request-method"] === undefined) return named;
  return {
    ...named,
    "access-control-allow-methods": methods.join(", "),
    "access-control-allow-headers": "authorization, content-type",
    "access-control-max-age": "600",
  };
}
