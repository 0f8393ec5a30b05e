import { bootSave } from "../../core/index.ts";
import { pluralize } from "../../core/words/text.ts";
import { SvcmCommand } from "../base.ts";

export default class BootSave extends SvcmCommand {
  static override summary = "Save PM2's list, so that a reboot brings back what runs now.";
  static override description =
    "Does what pm2 save does. The list and its backup become readable for their owner only. svcm keeps a copy in PM2_HOME/svcm/boot.json, which svcm boot restore uses if PM2's list is broken. Refused if PM2 runs no apps and the list has some.";
  static override examples = ["<%= config.bin %> boot save"];

  async run() {
    await this.parse(BootSave);
    const response = await this.execute(bootSave, {});
    this.log(`Saved ${pluralize(response.processes, "process", "processes")} in ${response.path}.`);
    return response;
  }
}
