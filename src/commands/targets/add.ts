import { targetAdd, targetFields } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { documentFlags } from "../terminal/flags.ts";
import { targetFlags } from "../terminal/entry-flags.ts";
import { addEntry } from "../terminal/document-edits.ts";

export default class TargetsAdd extends SvcmCommand {
  static override summary = "Add a deploy target to deployments.yaml.";
  static override description =
    "svcm validates the target first, and does not touch the file if it is invalid. Fields that you leave out get the defaults of the capability matrix. In a terminal, svcm asks for missing fields. If the file does not exist, svcm creates it.";
  static override examples = [
    "<%= config.bin %> targets add --name qa --deploy-target dedicated-server --runtime node22",
    "<%= config.bin %> targets add --name functions-eu --deploy-target lambda --runtime nodejs22.x --region eu-central-1 --dry-run",
    "<%= config.bin %> targets add",
  ];
  static override flags = { ...targetFlags, ...documentFlags };

  async run() {
    const { flags } = await this.parse(TargetsAdd);
    return addEntry(this, flags, { operation: targetAdd, section: "deployments", fields: targetFields });
  }
}
