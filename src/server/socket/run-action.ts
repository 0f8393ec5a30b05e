import type { ActionFrame, ActionResultFrame } from "../../core/api/frames.ts";
import {
  describeError,
  execute,
  failureCode,
  type Identity,
  type Ports,
  processAct,
  SvcmError,
} from "../../core/index.ts";
import { errorStack } from "../../core/words/thrown.ts";
import type { ServerLog } from "../log.ts";
import type { Fleet } from "../fleet.ts";
import { isTokenRefusal } from "../response.ts";
import type { MetricsSubscription } from "./peer.ts";
import type { ErrorCode } from "../../core/api/issue.ts";
import type { AuditedProcess } from "../../core/api/audit-record.ts";

export type ActionRunner = (
  frame: ActionFrame,
  identity: Identity,
  subscription: Pick<MetricsSubscription, "environment" | "service"> | undefined,
  /** Records a refusal that the operation did not record itself. */
  record: (refusal: SvcmError) => Promise<void>,
) => Promise<ActionResultFrame>;

export function actionRunner(ports: Ports, log: ServerLog, fleet: Fleet): ActionRunner {
  return async (frame, identity, subscribed, record) => {
    const { type: _type, token: _token, requestId: _requestId, node, ...target } = frame;
    try {
      const { environment, service } = subscribed ?? {};
      const input = { service, ...target, environment };
      const result =
        node === undefined
          ? await execute(processAct, ports, input, { ...identity, source: "ws" })
          : await fleet.askAs(node, processAct, input, identity);
      return { ...resultFields(frame), ...result, action: frame.action };
    } catch (error) {
      if (!(error instanceof SvcmError)) log.error({ stack: errorStack(error) }, "action failed");
      else if (isTokenRefusal(error)) await record(error);
      const { body } = describeError(error);
      const processes = error instanceof SvcmError ? error.body.processes : undefined;
      const words = [body.error, body.details].filter(Boolean).join(" ");
      return refusedResult(frame, failureCode(error), words, processes);
    } finally {
      ports.telemetry.refresh();
    }
  };
}

const UNNAMED = "(not given)";

function resultFields(
  frame: ActionFrame,
): Pick<ActionResultFrame, "type" | "action" | "scope" | "name" | "pmId" | "requestId"> {
  const { action, scope = "process", name, namespace, pmId, requestId } = frame;
  const subject = scope === "namespace" ? (namespace ?? name) : (name ?? pmId?.toString());
  return {
    type: "action-result",
    action,
    scope,
    name: subject ?? (scope === "ecosystem" ? "*" : UNNAMED),
    pmId,
    requestId,
  };
}

export function refusedResult(
  frame: ActionFrame,
  code: ErrorCode,
  error: string,
  processes: readonly AuditedProcess[] = [],
): ActionResultFrame {
  const [first] = processes;
  const isByNumber = frame.scope !== "namespace" && frame.name === undefined && first !== undefined;
  return { ...resultFields(frame), ...(isByNumber && { name: first.name }), ok: false, code, error };
}
