import type { ErrorCode } from "../../core/api/code.ts";
import type { ActionFrame, ActionResultFrame } from "../../core/api/frames.ts";
import type { AuditedProcess } from "../../core/api/audit-record.ts";

const NOT_GIVEN = "(not given)";

export function aboutAction(
  frame: ActionFrame,
): Pick<ActionResultFrame, "type" | "action" | "scope" | "name" | "pmId" | "requestId"> {
  const { action, scope = "process", name, namespace, pmId, requestId } = frame;
  const subject = scope === "namespace" ? (namespace ?? name) : (name ?? pmId?.toString());
  return {
    type: "action-result",
    action,
    scope,
    name: subject ?? (scope === "ecosystem" ? "*" : NOT_GIVEN),
    pmId,
    requestId,
  };
}

export function refusedAction(
  frame: ActionFrame,
  code: ErrorCode,
  error: string,
  processes: readonly AuditedProcess[] = [],
): ActionResultFrame {
  const [first] = processes;
  const isByNumber = frame.scope !== "namespace" && frame.name === undefined && first !== undefined;
  return { ...aboutAction(frame), ...(isByNumber && { name: first.name }), ok: false, code, error };
}
