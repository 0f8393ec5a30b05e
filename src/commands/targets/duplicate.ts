import * as Flags from "@oclif/core/flags";
import { targetDuplicate, targetFields } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { targetArgs } from "../terminal/entry-flags.ts";
import { documentFlags } from "../terminal/flags.ts";
import { editDocument } from "../terminal/document-edits.ts";

export default class TargetsDuplicate extends SvcmCommand {
  static override summary = "Copy a deploy target in deployments.yaml under a new name.";
  static override description =
    "The copy is independent: YAML aliases are expanded. Without --name, the copy is called <name> (copy), the next one <name> (copy 2), and so on.";
  static override examples = [
    "<%= config.bin %> targets duplicate staging",
    "<%= config.bin %> targets duplicate staging --name qa",
  ];
  static override args = targetArgs;
  static override flags = {
    name: Flags.string({ summary: "Name of the copy. Must be unique, ignoring case.", helpValue: "<name>" }),
    ...documentFlags,
  };

  async run() {
    const { args, flags } = await this.parse(TargetsDuplicate);
    return editDocument(this, flags, {
      operation: targetDuplicate,
      input: { name: args.target, as: flags.name },
      fields: targetFields,
      describeResult: ({ target, file }) => `Added ${target}, a copy of ${args.target}, to ${file}`,
    });
  }
}
