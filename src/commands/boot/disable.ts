import { bootDisable } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { userFlag } from "./enable.ts";

export default class BootDisable extends SvcmCommand {
  static override summary = "Remove the unit that svcm boot enable wrote.";
  static override description =
    "Disables and removes exactly that unit, and enables again what it replaced. PM2 and its apps run on. Exits 0 if there is no such unit.";
  static override examples = ["<%= config.bin %> boot disable", "sudo <%= config.bin %> boot disable --user deploy"];
  static override flags = { user: userFlag };

  async run() {
    const { flags } = await this.parse(BootDisable);
    const response = await this.execute(bootDisable, flags.user === undefined ? {} : { user: flags.user });
    const { name, home, enabled, keepsLinger } = response;
    if (name === null) this.log(`svcm has no unit for PM2_HOME ${home}.`);
    else this.log(`Removed ${name}.${enabled.length === 0 ? "" : ` Enabled ${enabled.join(", ")} again.`}`);
    if (keepsLinger)
      this.log("Your user goes on lingering, because PM2 would end without it. To end both: loginctl disable-linger");
    return response;
  }
}
