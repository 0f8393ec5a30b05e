import type { AsyncContextResult } from "./telemetry.ts";
import type { AsyncContextMetrics } from "../api/metrics.ts";

import { truncate } from "../pm2/list.ts";
import { parseRecord, isRecord } from "../words/record.ts";
import { REDACTED, isSecretName } from "../secrets/redact.ts";

type Failure = Extract<AsyncContextMetrics, { readonly code: string }>;

const MAX_STORES = 50;
const MAX_COUNTERS = 100;

export function asyncContextMetrics(
  answer: AsyncContextResult,
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
      return parseAnswer(answer.status, answer.text, scrub);
  }
}

function parseAnswer(status: number, text: string, scrub: (text: string) => string): NonNullable<AsyncContextMetrics> {
  if (status === 404) return failure("ASYNC_CONTEXT_ROUTE_MISSING", "The process has no such route.", status);
  if (status < 200 || status > 299)
    return failure("ASYNC_CONTEXT_HTTP_ERROR", `The process answered with status ${status}.`, status);
  const body = parseRecord(text);
  if (body === undefined)
    return failure("ASYNC_CONTEXT_PARSE_ERROR", "The process's answer is not a JSON object.", status);
  const { active, recentStores } = body;
  const stores: unknown[] = Array.isArray(recentStores) ? recentStores : [];
  return {
    ...readCounters(body, scrub),
    active: isCount(active) ? active : null,
    recentStores: stores.slice(0, MAX_STORES).map((store) => redactedStore(store, scrub)),
  };
}

function readCounters(
  body: Readonly<Record<string, unknown>>,
  scrub: (name: string) => string,
): Record<string, number> {
  const numbers = Object.entries(body).filter(
    (entry): entry is [string, number] => typeof entry[1] === "number" && entry[0] !== "code" && entry[0] !== "error",
  );
  return Object.fromEntries(numbers.slice(0, MAX_COUNTERS).map(([name, value]) => [scrub(name), value]));
}

export function activeContexts(metrics: AsyncContextMetrics): number | null {
  return metrics !== null && "active" in metrics && typeof metrics.active === "number" ? metrics.active : null;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function failure(code: Failure["code"], error: string, status?: number): Failure {
  return { error, code, status };
}

const MAX_KEYS = 50;
const MAX_DEPTH = 3;

/** A session id is enough to log in. */
const SESSION = /session|\bsid\b/i;
/** A JSON web token, an authorization header. */
const TOKEN = /\beyJ[\w-]{6,}\.|\b(?:bearer|basic)\s+\S/i;

/**
 * Every key, and the scalar values of keys that do not look secret; everything else is `[REDACTED]`.
 * @param scrub removes known secrets and credentials from every key and text
 * @see CONTRACT section 5
 */
export function redactedStore(store: unknown, scrub: (text: string) => string): Record<string, unknown> {
  return isRecord(store) ? redactedObject(store, scrub, 1) : { value: REDACTED };
}

function redactedObject(
  object: Readonly<Record<string, unknown>>,
  scrub: (text: string) => string,
  depth: number,
): Record<string, unknown> {
  const entries = Object.entries(object).slice(0, MAX_KEYS);
  return Object.fromEntries(
    entries.map(([key, value]) => [truncate(scrub(key)), redactedValue(key, value, scrub, depth)]),
  );
}

function redactedValue(key: string, value: unknown, scrub: (text: string) => string, depth: number): unknown {
  if (isSecretName(key) || SESSION.test(key)) return REDACTED;
  if (typeof value === "string") return TOKEN.test(value) ? REDACTED : truncate(scrub(value));
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  return isRecord(value) && depth < MAX_DEPTH ? redactedObject(value, scrub, depth + 1) : REDACTED;
}
