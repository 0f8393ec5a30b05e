import { targetRemove, targetFields } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { targetArgs } from "../terminal/entry-flags.ts";
import { documentFlags } from "../terminal/flags.ts";
import { removeEntry } from "../terminal/document-edits.ts";
import { yesFlag } from "../terminal/prompt.ts";

export default class TargetsRemove extends SvcmCommand {
  static override summary = "Remove a deploy target from deployments.yaml.";
  static override description =
    "Removes only the target's own lines and keeps the comments around them. In a terminal, svcm asks for confirmation unless you pass --yes; in a script it does not ask.";
  static override examples = [
    "<%= config.bin %> targets remove edge --dry-run",
    "<%= config.bin %> targets remove edge",
  ];
  static override args = targetArgs;
  static override flags = { yes: yesFlag, ...documentFlags };

  async run() {
    const { args, flags } = await this.parse(TargetsRemove);
    return removeEntry(this, flags, { operation: targetRemove, input: { name: args.target }, fields: targetFields });
  }
}
