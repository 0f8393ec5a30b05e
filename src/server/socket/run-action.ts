import type { ActionFrame, ActionResultFrame } from "../../core/api/frames.ts";
import { describeError, execute, processAct, SvcmError, type Caller, type Ports } from "../../core/index.ts";
import type { ServerLog } from "../log.ts";
import type { Subscribed } from "./subscription.ts";
import { aboutAction, refusedAction } from "./action-result.ts";

export type ActionRunner = (
  frame: ActionFrame,
  caller: Pick<Caller, "grants" | "actor">,
  subscribed: Pick<Subscribed, "environment" | "service"> | undefined,
) => Promise<ActionResultFrame>;

export function actionRunner(ports: Ports, log: ServerLog): ActionRunner {
  return async (frame, caller, subscribed) => {
    const { type: _type, token: _token, requestId: _requestId, ...target } = frame;
    try {
      const { environment, service } = subscribed ?? {};
      const input = { service, ...target, environment };
      const result = await execute(processAct, ports, input, { source: "ws", ...caller });
      return { ...aboutAction(frame), ...result, action: frame.action };
    } catch (error) {
      if (!(error instanceof SvcmError)) log.error({ stack: String((error as Error).stack) }, "action failed");
      const { body } = describeError(error);
      const kind = error instanceof SvcmError ? error.kind : "DEFECT";
      const processes = error instanceof SvcmError ? error.body.processes : undefined;
      return refusedAction(frame, body.code ?? kind, [body.error, body.details].filter(Boolean).join(" "), processes);
    } finally {
      ports.telemetry.refresh();
    }
  };
}
