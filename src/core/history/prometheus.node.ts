import { withBasicHeader } from "../words/http.ts";
import type { Code } from "../api/issue.ts";
import { SvcmError } from "../api/errors.ts";
import type { Prometheus, RangeSeries } from "./port-history.ts";
import { errorCode } from "../words/thrown.ts";
import { readBody } from "../files/read-body.ts";

export const PROMETHEUS_URL = "SVC_SERVICE_MANAGEMENT_PROMETHEUS_URL";

const TIMEOUT_MS = 10_000;
/** Enough for about 1,500 series of 500 points. */
const MAX_BYTES = 32 * 2 ** 20;

/** The URL may contain a password, so no message quotes it. */
export function nodePrometheus(env: Readonly<Record<string, string | undefined>>, timeoutMs = TIMEOUT_MS): Prometheus {
  const configuredUrl = env[PROMETHEUS_URL]?.trim() ?? "";
  return {
    isConfigured: configuredUrl !== "",
    async queryRange({ query, startMs, endMs, stepMs }, signal) {
      const { url, headers } = parseUrl(configuredUrl);
      const body = new URLSearchParams({
        query,
        start: String(startMs / 1000),
        end: String(endMs / 1000),
        step: String(stepMs / 1000),
        timeout: `${timeoutMs}ms`,
      });
      const timeout = AbortSignal.timeout(timeoutMs);
      const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
      try {
        const response = await fetch(url, { method: "POST", body, headers, redirect: "manual", signal: either });
        const text = await readBody(response.body ?? [], MAX_BYTES);
        if (text === undefined) throw tooLargeError();
        return parseSeries(text, response.status);
      } catch (error) {
        if (error instanceof SvcmError || signal?.aborted) throw error;
        if (timeout.aborted) throw prometheusError(`It did not answer in ${timeoutMs / 1000} s.`);
        throw prometheusError(`It could not be reached: ${errorCode((error as { readonly cause?: unknown }).cause)}.`);
      }
    },
  };
}

function parseUrl(configuredUrl: string): { readonly url: URL; readonly headers: Readonly<Record<string, string>> } {
  const url = URL.canParse(configuredUrl) ? new URL(configuredUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || /[?#]/.test(configuredUrl))
    throw prometheusError(`${PROMETHEUS_URL} is not an http or https URL without a query.`);
  url.pathname = `${url.pathname.replace(/\/$/, "")}/api/v1/query_range`;
  return withBasicHeader(url);
}

interface Answer {
  readonly status?: unknown;
  readonly error?: unknown;
  readonly data?: { readonly result?: readonly RangeSeries[] };
}

function parseSeries(text: string, status: number): readonly RangeSeries[] {
  const response = parseAnswer(text);
  if (response?.status === "success" && Array.isArray(response.data?.result)) return response.data.result;
  const reason = typeof response?.error === "string" ? response.error.slice(0, 300) : "Another program answered.";
  throw prometheusError(`It answered with status ${status}: ${reason}`);
}

function parseAnswer(text: string): Answer | undefined {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return undefined;
  }
}

function tooLargeError(): SvcmError {
  const details = `Its answer has more than ${MAX_BYTES / 2 ** 20} MiB. Request fewer series or points.`;
  return prometheusError(details, "PROMETHEUS_ANSWER_TOO_LARGE");
}

function prometheusError(details: string, code: Code = "PROMETHEUS_FAILED"): SvcmError {
  return new SvcmError("HISTORY_FAILED", { code, details: `The history of Prometheus could not be read. ${details}` });
}
