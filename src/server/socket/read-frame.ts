import { interval } from "../../core/api/channel.ts";
import { type ClientFrame, clientFrames, type ErrorFrame } from "../../core/api/frames.ts";
import { parseInput } from "../../core/access/parse.ts";
import { errorTable, failureCode, SvcmError } from "../../core/index.ts";
import { parseJson } from "../../core/words/json.ts";
import type { Code, ErrorCode } from "../../core/api/issue.ts";

export interface FrameRefusal {
  readonly code: Code;
  readonly details: string;
  readonly requestId?: string;
}

export const INTERVAL_RULE = `intervalMs, an integer from ${interval.min} to ${interval.max}`;

const MAX_REQUEST_ID = 64;

const codes: Record<ClientFrame["type"], Code> = {
  subscribe: "INVALID_SUBSCRIPTION",
  unsubscribe: "INVALID_FRAME",
  ping: "INVALID_FRAME",
  action: "INVALID_ACTION",
  "logs.subscribe": "INVALID_SUBSCRIPTION",
  "logs.unsubscribe": "INVALID_FRAME",
  "events.subscribe": "INVALID_SUBSCRIPTION",
  "events.unsubscribe": "INVALID_FRAME",
};

/** Strict. A refusal repeats only the `requestId`. */
export function readFrame(bytes: Uint8Array, maxDepth: number): ClientFrame | FrameRefusal {
  let type: ClientFrame["type"] | undefined;
  let requestId: { readonly requestId?: string } = {};
  try {
    const value = parseJson(bytes, maxDepth, "frame");
    requestId = requestIdOf(value);
    type = typeOf(value);
    if (type === undefined) return { code: "UNKNOWN_FRAME", details: typeRule(), ...requestId };
    return parseInput<ClientFrame>(clientFrames[type], value, "INVALID_PAYLOAD");
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    const rule = type === "subscribe" ? `. Accepted: ${INTERVAL_RULE}.` : "";
    return {
      code: type === undefined ? "INVALID_FRAME" : codes[type],
      details: `${error.message}${rule}`,
      ...requestId,
    };
  }
}

export function isRefusal(frame: ClientFrame | FrameRefusal): frame is FrameRefusal {
  return "code" in frame;
}

function typeOf(value: unknown): ClientFrame["type"] | undefined {
  if (typeof value !== "object" || value === null || !("type" in value)) return undefined;
  const { type } = value;
  return typeof type === "string" && Object.hasOwn(clientFrames, type) ? (type as ClientFrame["type"]) : undefined;
}

function typeRule(): string {
  return `Accepted: a JSON object whose type is one of ${Object.keys(clientFrames).join(", ")}.`;
}

function requestIdOf(value: unknown): { readonly requestId?: string } {
  if (typeof value !== "object" || value === null || !("requestId" in value)) return {};
  const { requestId } = value;
  const isGood = typeof requestId === "string" && requestId !== "" && requestId.length <= MAX_REQUEST_ID;
  return isGood ? { requestId } : {};
}

export function subscriptionRefusal(error: SvcmError, requestId: string | undefined): ErrorFrame {
  const { kind, message } = error;
  if (kind !== "INVALID_ENVIRONMENT") return errorFrame(failureCode(error), message, requestId);
  return errorFrame("INVALID_SUBSCRIPTION", `${message.replace(/\.$/, "")}; ${INTERVAL_RULE}.`, requestId);
}

export function errorFrame(code: ErrorCode, details: string, requestId?: string): ErrorFrame {
  const error = code === "UNAUTHORIZED" ? errorTable.UNAUTHORIZED.error : undefined;
  return { type: "error", code, details, error, requestId };
}
