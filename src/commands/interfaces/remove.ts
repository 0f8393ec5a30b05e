import { interfaceRemove, interfaceFields } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { adapterArgs } from "../terminal/entry-flags.ts";
import { documentFlags } from "../terminal/flags.ts";
import { removeEntry } from "../terminal/document-edits.ts";
import { yesFlag } from "../terminal/prompt.ts";

export default class InterfacesRemove extends SvcmCommand {
  static override summary = "Remove an interface adapter from deployments.yaml.";
  static override description =
    "Removes only the adapter's own lines and keeps the comments around them. In a terminal, svcm asks for confirmation unless you pass --yes; in a script it does not ask.";
  static override examples = ["<%= config.bin %> interfaces remove ItemController.list"];
  static override args = adapterArgs;
  static override flags = { yes: yesFlag, ...documentFlags };

  async run() {
    const { args, flags } = await this.parse(InterfacesRemove);
    return removeEntry(this, flags, {
      operation: interfaceRemove,
      input: { which: args.adapter },
      fields: interfaceFields,
    });
  }
}
