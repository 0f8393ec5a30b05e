import type { AsyncContextMetrics } from "../api/metrics.ts";
import type { AsyncContextAnswer } from "../ports/machine.ts";
import { parseRecord } from "../words/record.ts";
import { redactedStore } from "./redacted-store.ts";

type Failure = Extract<AsyncContextMetrics, { readonly code: string }>;

const MAX_STORES = 50;
const MAX_COUNTERS = 100;

/** `scrub` is applied to every text. */
export function asyncContextMetrics(
  answer: AsyncContextAnswer,
  scrub: (text: string) => string,
): NonNullable<AsyncContextMetrics> {
  switch (answer.kind) {
    case "timeout":
      return failure("ASYNC_CONTEXT_TIMEOUT", "The process did not answer in time.");
    case "unreachable":
      return failure("ASYNC_CONTEXT_UNREACHABLE", `Nothing answers on the process's port (${answer.code}).`);
    case "too-large":
      return failure("ASYNC_CONTEXT_PARSE_ERROR", "The answer is larger than svcm reads.", answer.status);
    case "answer":
      return ofAnswer(answer.status, answer.text, scrub);
  }
}

function ofAnswer(status: number, text: string, scrub: (text: string) => string): NonNullable<AsyncContextMetrics> {
  if (status === 404) return failure("ASYNC_CONTEXT_ROUTE_MISSING", "The process has no such route.", status);
  if (status < 200 || status > 299)
    return failure("ASYNC_CONTEXT_HTTP_ERROR", `The process answered with status ${status}.`, status);
  const body = parseRecord(text);
  if (body === undefined)
    return failure("ASYNC_CONTEXT_PARSE_ERROR", "The process's answer is not a JSON object.", status);
  const { active, recentStores } = body;
  const stores: unknown[] = Array.isArray(recentStores) ? recentStores : [];
  return {
    ...countersOf(body, scrub),
    active: isCount(active) ? active : null,
    recentStores: stores.slice(0, MAX_STORES).map((store) => redactedStore(store, scrub)),
  };
}

function countersOf(body: Readonly<Record<string, unknown>>, scrub: (name: string) => string): Record<string, number> {
  const numbers = Object.entries(body).filter(
    (entry): entry is [string, number] => typeof entry[1] === "number" && entry[0] !== "code" && entry[0] !== "error",
  );
  return Object.fromEntries(numbers.slice(0, MAX_COUNTERS).map(([name, value]) => [scrub(name), value]));
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function failure(code: Failure["code"], error: string, status?: number): Failure {
  return { error, code, status };
}
