import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { keysSetTier } from "../../core/index.ts";
import { dryRunFlag, SvcmCommand } from "../base.ts";
import { printKeysEdit } from "../terminal/changes.ts";

export default class KeysAllow extends SvcmCommand {
  static override summary = "Let svcm show and write keys.";
  static override description =
    "Gives the keys the tier editable in the file that declares them, svcm.yaml or config/runtime-contract.yaml, and changes no other byte. With --read-only, svcm may only show them. Also confirms guesses of svcm init. A secret stays hidden.";
  static override examples = [
    "<%= config.bin %> keys allow LOG_LEVEL PAGE_SIZE",
    "<%= config.bin %> keys allow PORT --read-only --dry-run",
  ];
  static override args = {
    key: Args.string({ ignoreStdin: true, required: true, description: "Declared key.", multiple: true }),
  };
  static override flags = {
    "read-only": Flags.boolean({ summary: "Let svcm show the keys, but not write them.", default: false }),
    "dry-run": dryRunFlag,
  };

  async run() {
    const { args, flags } = await this.parse(KeysAllow);
    const tier = flags["read-only"] ? "read-only" : "editable";
    const response = await this.execute(keysSetTier, { tier, keys: args.key, dryRun: flags["dry-run"] });
    const next = tier === "editable" ? `svcm env set ${args.key[0]}=VALUE` : undefined;
    return printKeysEdit(this, response, `Now ${tier}`, next);
  }
}
