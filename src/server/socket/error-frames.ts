import type { ErrorCode } from "../../core/api/code.ts";
import type { ErrorFrame } from "../../core/api/frames.ts";
import { errorTable, failureCode, type SvcmError } from "../../core/index.ts";
import { INTERVAL_RULE } from "./read-frame.ts";

export function subscriptionRefusal(error: SvcmError, requestId: string | undefined): ErrorFrame {
  const { kind, message } = error;
  if (kind !== "INVALID_ENVIRONMENT") return errorFrame(failureCode(error), message, requestId);
  return errorFrame("INVALID_SUBSCRIPTION", `${message.replace(/\.$/, "")}; ${INTERVAL_RULE}.`, requestId);
}

export function errorFrame(code: ErrorCode, details: string, requestId?: string): ErrorFrame {
  const error = code === "UNAUTHORIZED" ? errorTable.UNAUTHORIZED.error : undefined;
  return { type: "error", code, details, error, requestId };
}
