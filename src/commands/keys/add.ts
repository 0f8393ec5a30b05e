import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { keyKinds, keysAdd } from "../../core/index.ts";
import { dryRunFlag, SvcmCommand } from "../base.ts";
import { printKeysEdit } from "../terminal/changes.ts";

export default class KeysAdd extends SvcmCommand {
  static override summary = "Declare keys that an app begins to read.";
  static override description =
    "Adds the keys to the file that declares them, svcm.yaml or config/runtime-contract.yaml, and changes no other byte. Without --kind, the name decides; in doubt, the key counts as a secret. svcm shows the key; with --allow, it also writes it. svcm init finds the keys that env files and code have already.";
  static override examples = [
    "<%= config.bin %> keys add MAX_ITEMS --kind number --allow",
    "<%= config.bin %> keys add LOG_LEVEL --values debug,info,warn",
    "<%= config.bin %> keys add PAYMENT_SECRET --dry-run",
  ];
  static override args = {
    key: Args.string({ ignoreStdin: true, required: true, description: "New key.", multiple: true }),
  };
  static override flags = {
    kind: Flags.option({ summary: "Kind of the values.", options: keyKinds })(),
    values: Flags.string({
      summary: "The accepted values, separated by commas.",
      helpValue: "<a,b>",
      exclusive: ["kind"],
    }),
    allow: Flags.boolean({ summary: "Let svcm write the keys.", default: false }),
    "dry-run": dryRunFlag,
  };

  async run() {
    const { args, flags } = await this.parse(KeysAdd);
    const { kind, allow: editable, "dry-run": dryRun } = flags;
    const values = flags.values?.split(",").map((value) => value.trim());
    const response = await this.execute(keysAdd, { keys: args.key, kind, values, editable, dryRun });
    const next = editable ? `svcm env set ${args.key[0]}=VALUE` : "svcm keys list";
    return printKeysEdit(this, response, "Added", next);
  }
}
