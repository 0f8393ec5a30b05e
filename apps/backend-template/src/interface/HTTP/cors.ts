import type { IncomingMessage } from "node:http";
import type { AllowedOrigins } from "../../process/allowed-origins.ts";

/**
 * An origin that is not allowed gets no headers, so the browser hides the response from its page.
 *
 * @param methods the methods that the path accepts, for a preflight request
 */
export function corsHeaders(
  { headers, method }: IncomingMessage,
  methods: readonly string[],
  allowed: AllowedOrigins,
): Readonly<Record<string, string>> {
  if (allowed.size === 0) return {};
  // Caches must not reuse the response for one origin for another.
  const vary = { vary: "Origin" };
  if (headers.origin === undefined || !allowed.has(headers.origin)) return vary;
  const allowOrigin = { ...vary, "access-control-allow-origin": headers.origin };
  if (method !== "OPTIONS" || headers["access-control-request-method"] === undefined) return allowOrigin;
  return {
    ...allowOrigin,
    "access-control-allow-methods": methods.join(", "),
    "access-control-allow-headers": "authorization, content-type",
    "access-control-max-age": "600",
  };
}
