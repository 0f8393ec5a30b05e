import type { ActionFrame, ActionResultFrame } from "../../core/contract/frames.ts";

/** What every result of an action tells: which action, about what, asked by which frame. */
export function aboutAction(frame: ActionFrame): Pick<ActionResultFrame, "type" | "action" | "scope" | "name"> {
  const { action, scope = "process", name, namespace, pmId, requestId } = frame;
  const subject = scope === "namespace" ? namespace : (name ?? pmId?.toString());
  return {
    type: "action-result",
    action,
    scope,
    name: subject ?? "",
    ...(pmId !== undefined && { pmId }),
    ...(requestId !== undefined && { requestId }),
  };
}

/** The result of an action that did not happen. */
export function refusedAction(frame: ActionFrame, code: string, error: string): ActionResultFrame {
  return { ...aboutAction(frame), ok: false, code, error };
}
