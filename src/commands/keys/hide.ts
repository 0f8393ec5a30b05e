import * as Args from "@oclif/core/args";
import { keysSetTier } from "../../core/index.ts";
import { dryRunFlag, SvcmCommand } from "../base.ts";
import { printKeysEdit } from "../terminal/changes.ts";

export default class KeysHide extends SvcmCommand {
  static override summary = "Never show or write keys.";
  static override description =
    "Gives the keys the tier never-exposed in the file that declares them, svcm.yaml or config/runtime-contract.yaml, and changes no other byte.";
  static override examples = [
    "<%= config.bin %> keys hide SMTP_USER",
    "<%= config.bin %> keys hide SMTP_USER SMTP_HOST --dry-run",
  ];
  static override args = {
    key: Args.string({ ignoreStdin: true, required: true, description: "Declared key.", multiple: true }),
  };
  static override flags = { "dry-run": dryRunFlag };

  async run() {
    const { args, flags } = await this.parse(KeysHide);
    const input = { tier: "never-exposed" as const, keys: args.key, dryRun: flags["dry-run"] };
    return printKeysEdit(this, await this.execute(keysSetTier, input), "Now never-exposed");
  }
}
