import type { CodeDoc } from "./codes.ts";

/** The codes of what could not be measured. */
export const telemetryCodes: Readonly<Record<string, CodeDoc>> = {
  ASYNC_CONTEXT_ROUTE_MISSING: {
    summary: "The process has no route `/async-context-metrics`.",
    explanation: "It answered 404 on its `SVC_HTTP_PORT`. Serve the route, or watch without async contexts.",
  },
  ASYNC_CONTEXT_HTTP_ERROR: {
    summary: "The process answered `/async-context-metrics` with another status than 200.",
    explanation: "No redirect is followed and no credential is sent: the route has to be open on 127.0.0.1.",
  },
  ASYNC_CONTEXT_TIMEOUT: {
    summary: "The process did not answer `/async-context-metrics` within a second.",
  },
  ASYNC_CONTEXT_PARSE_ERROR: {
    summary: "The process's answer is not a JSON object of at most 256 KiB.",
  },
  ASYNC_CONTEXT_UNREACHABLE: {
    summary: "Nothing answers HTTP on the process's `SVC_HTTP_PORT` on 127.0.0.1.",
  },
};
