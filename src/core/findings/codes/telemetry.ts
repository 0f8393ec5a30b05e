import type { CodeDocs } from "../rule.ts";

export const telemetryCodes: CodeDocs = {
  UNSUPPORTED_PLATFORM: {
    summary: "This platform does not report the disk traffic of a process.",
    explanation: "CPU and memory are measured all the same.",
    remedy: "Measure on Linux, where svcm reads `/proc`.",
  },
  ASYNC_CONTEXT_ROUTE_MISSING: {
    summary: "The process has no route `/async-context-metrics`.",
    explanation: "It answered 404 on its `SVC_HTTP_PORT`.",
    remedy: "Serve the route in the process, or measure without `--async-context`.",
  },
  ASYNC_CONTEXT_HTTP_ERROR: {
    summary: "The process answered `/async-context-metrics` with a status other than 200.",
    explanation: "svcm follows no redirect and sends no credential.",
    remedy: "Open the route to 127.0.0.1 without a login or redirect.",
  },
  ASYNC_CONTEXT_TIMEOUT: {
    summary: "The process did not answer `/async-context-metrics` within a second.",
    remedy: "Find the code that blocks its event loop; `svcm metrics show` shows its CPU and memory.",
  },
  ASYNC_CONTEXT_PARSE_ERROR: {
    summary: "The process's answer is not a JSON object of at most 256 KiB.",
    remedy: "Return one JSON object, and drop the oldest stores when it gets too large.",
  },
  ASYNC_CONTEXT_UNREACHABLE: {
    summary: "Nothing answers HTTP on the process's `SVC_HTTP_PORT` on 127.0.0.1.",
    remedy: "Check that the process listens on that port of 127.0.0.1.",
  },
};
