import type { ActionFrame, ActionResultFrame } from "../../core/api/frames.ts";
import type { AuditedProcess } from "../../core/api/audit-record.ts";

const NOT_GIVEN = "(not given)";

export function aboutAction(frame: ActionFrame): Pick<ActionResultFrame, "type" | "action" | "scope" | "name"> {
  const { action, scope = "process", name, namespace, pmId, requestId } = frame;
  const subject = scope === "namespace" ? (namespace ?? name) : (name ?? pmId?.toString());
  return {
    type: "action-result",
    action,
    scope,
    name: subject ?? (scope === "ecosystem" ? "*" : NOT_GIVEN),
    ...(pmId !== undefined && { pmId }),
    ...(requestId !== undefined && { requestId }),
  };
}

export function refusedAction(
  frame: ActionFrame,
  code: string,
  error: string,
  processes: readonly AuditedProcess[] = [],
): ActionResultFrame {
  const [first] = processes;
  const isByNumber = frame.scope !== "namespace" && frame.name === undefined && first !== undefined;
  return { ...aboutAction(frame), ...(isByNumber && { name: first.name }), ok: false, code, error };
}
