import type { AlertsPorts } from "../ports.ts";
import { testMessage } from "../message.ts";
import { SvcmError } from "../../api/errors.ts";
import { defineOperation } from "../../access/operation.ts";

export interface AlertsTestResponse {
  /** The receivers that accepted the message. */
  readonly sent: readonly ("webhook" | "command" | "heartbeat")[];
}

/** Sends a test message to everything that `alerts` in svcm.yaml declares. @throws {SvcmError} ALERT_FAILED */
export const alertsTest = defineOperation({
  id: "alerts.test",
  access: "write",
  refusal: "INVALID_REQUEST",
  async run(ports: AlertsPorts): Promise<AlertsTestResponse> {
    const { alerts } = (await ports.facts.project()) ?? {};
    const sent = (["webhook", "command", "heartbeat"] as const).filter((name) => alerts?.[name] !== undefined);
    if (alerts === undefined || sent.length === 0)
      throw new SvcmError("ALERT_FAILED", {
        code: "ALERTS_NOT_DECLARED",
        details: "svcm.yaml declares no webhook, command or heartbeat for alerts.",
        hint: "Add them, for example: alerts: { webhook: ALERT_WEBHOOK_URL }",
      });
    await ports.notifier.send(alerts, testMessage(ports));
    await ports.notifier.sendHeartbeat(alerts);
    return { sent };
  },
});
