import { alertsTest } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";

export default class AlertsTest extends SvcmCommand {
  static override summary = "Send a test message to the receivers that svcm.yaml declares for alerts.";
  static override description =
    "Sends to the webhook and the command, and requests the heartbeat once. The variables that svcm.yaml names must be set in this shell. Exits 3 if a receiver does not accept it.";
  static override examples = ["<%= config.bin %> alerts test"];

  async run() {
    await this.parse(AlertsTest);
    const response = await this.execute(alertsTest, {});
    this.print(() => `Sent a test message: ${response.sent.join(", ")}.`);
    return response;
  }
}
