import {
  OutcomeUnknownError,
  ServiceError,
  type Action,
  type ActionResult,
  type ErrorFrame,
} from "../../../client/index.ts";
import { errorText } from "../../data/request-error.ts";

export type Refusal = Pick<ErrorFrame, "code" | "details" | "error">;

export const UNAUTHORIZED = "Unauthorized.";

export function unauthorizedOr({ action, scope = "process", name = "" }: Action): (error: unknown) => ActionResult {
  return (error) => {
    if (!isUnauthorized(error)) throw error;
    return { type: "action-result", ok: false, action, scope, name, code: "UNAUTHORIZED", error: UNAUTHORIZED };
  };
}

export function isUnauthorized(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "UNAUTHORIZED";
}

export function toRefusal(error: unknown): Refusal {
  if (error instanceof ServiceError) return { code: error.code, details: error.message };
  return { code: "CLIENT", details: errorText(error) };
}

export function toFailure(error: unknown): { readonly code?: string; readonly error: string } {
  if (error instanceof OutcomeUnknownError) return { error: error.message };
  const { code, details } = toRefusal(error);
  return { code, error: details };
}
