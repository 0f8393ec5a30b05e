import { bootDrain } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";

export default class BootDrain extends SvcmCommand {
  static override hidden = true;
  static override summary = "Stop all apps at the same time, each within its kill_timeout, and then PM2's daemon.";
  static override description =
    "The unit of svcm boot enable runs this command when it stops. PM2's saved list stays as it is, so the next boot brings everything back.";
  static override examples = ["<%= config.bin %> boot drain"];

  async run() {
    await this.parse(BootDrain);
    const response = await this.execute(bootDrain, {});
    this.log(response.drained ? "All apps and PM2's daemon have ended." : "No PM2 daemon runs.");
    return response;
  }
}
