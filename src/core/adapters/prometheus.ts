import type { Code } from "../api/codes.generated.ts";
import { SvcmError } from "../errors.ts";
import type { Prometheus, RangeSeries } from "../ports/history.ts";
import { errorCode } from "../words/thrown.ts";

export const PROMETHEUS_URL = "SVC_SERVICE_MANAGEMENT_PROMETHEUS_URL";

const PATIENCE_MS = 10_000;
/** Enough for about 1,500 series of 500 points. */
const MOST_BYTES = 32 * 2 ** 20;

/** The URL may contain a password, so no message quotes it. */
export function nodePrometheus(
  env: Readonly<Record<string, string | undefined>>,
  patienceMs = PATIENCE_MS,
): Prometheus {
  const given = env[PROMETHEUS_URL]?.trim() ?? "";
  return {
    isSet: given !== "",
    async queryRange({ query, startMs, endMs, stepMs }, signal) {
      const { url, headers } = urlAndHeaders(given);
      const body = new URLSearchParams({
        query,
        start: String(startMs / 1000),
        end: String(endMs / 1000),
        step: String(stepMs / 1000),
        timeout: `${patienceMs}ms`,
      });
      const patience = AbortSignal.timeout(patienceMs);
      const until = signal === undefined ? patience : AbortSignal.any([signal, patience]);
      try {
        const answer = await fetch(url, { method: "POST", body, headers, redirect: "manual", signal: until });
        return seriesIn(await readBody(answer), answer.status);
      } catch (error) {
        if (error instanceof SvcmError || signal?.aborted) throw error;
        if (patience.aborted) throw failed(`It did not answer in ${patienceMs / 1000} s.`);
        throw failed(`It could not be reached: ${errorCode((error as { readonly cause?: unknown }).cause)}.`);
      }
    },
  };
}

function urlAndHeaders(given: string): { readonly url: URL; readonly headers: Readonly<Record<string, string>> } {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || /[?#]/.test(given))
    throw failed(`${PROMETHEUS_URL} is not an http or https URL without a query.`);
  const { username, password } = url;
  [url.username, url.password] = ["", ""];
  url.pathname = `${url.pathname.replace(/\/$/, "")}/api/v1/query_range`;
  if (username === "" && password === "") return { url, headers: {} };
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { url, headers: { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` } };
}

/** @throws {SvcmError} HISTORY_FAILED as soon as the response is too large */
async function readBody({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MOST_BYTES)
      throw failed(
        `Its answer has more than ${MOST_BYTES / 2 ** 20} MiB. Request fewer series or points.`,
        "PROMETHEUS_ANSWER_TOO_LARGE",
      );
  }
  return Buffer.concat(chunks).toString();
}

interface Answer {
  readonly status?: unknown;
  readonly error?: unknown;
  readonly data?: { readonly result?: readonly RangeSeries[] };
}

function seriesIn(text: string, status: number): readonly RangeSeries[] {
  const answer = answerOf(text);
  if (answer?.status === "success" && Array.isArray(answer.data?.result)) return answer.data.result;
  const why = typeof answer?.error === "string" ? answer.error.slice(0, 300) : "Another program answered.";
  throw failed(`It answered with status ${status}: ${why}`);
}

function answerOf(text: string): Answer | undefined {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return undefined;
  }
}

function failed(details: string, code: Code = "PROMETHEUS_FAILED"): SvcmError {
  return new SvcmError("HISTORY_FAILED", { code, details: `The history of Prometheus could not be read. ${details}` });
}
