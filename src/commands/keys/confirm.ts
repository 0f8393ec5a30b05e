import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { keysConfirm } from "../../core/index.ts";
import { dryRunFlag, SvcmCommand } from "../base.ts";
import { UsageError } from "../terminal/errors.ts";
import { printKeysEdit } from "../terminal/changes.ts";

export default class KeysConfirm extends SvcmCommand {
  static override summary = "Confirm keys that svcm init guessed.";
  static override description =
    "Removes the member guess from the entries of the keys in svcm.yaml, and changes no other byte. It keeps the kind and the tier of a key; svcm keys allow and svcm keys hide change the tier.";
  static override examples = [
    "<%= config.bin %> keys confirm PORT LOG_LEVEL",
    "<%= config.bin %> keys confirm --all --dry-run",
  ];
  static override args = {
    key: Args.string({ ignoreStdin: true, description: "Key in svcm.yaml.", multiple: true }),
  };
  static override flags = {
    all: Flags.boolean({ summary: "Confirm every guess.", default: false }),
    "dry-run": dryRunFlag,
  };

  async run() {
    const { args, flags } = await this.parse(KeysConfirm);
    const keys = args.key ?? [];
    if (keys.length === 0 && !flags.all)
      throw new UsageError("No key was given. Accepted: KEY or --all.", "svcm keys list shows the guesses");
    if (keys.length > 0 && flags.all)
      throw new UsageError("Both keys and --all were given.", "give keys or --all, not both");
    const input = { keys: flags.all ? undefined : keys, dryRun: flags["dry-run"] };
    return printKeysEdit(this, await this.execute(keysConfirm, input), "Confirmed");
  }
}
