import * as Args from "@oclif/core/args";
import { keysSetTier, suggest, tiers } from "../../core/index.ts";
import { dryRunFlag, SvcmCommand } from "../base.ts";
import { UsageError } from "../terminal/errors.ts";
import { printKeysEdit } from "../terminal/changes.ts";

export default class KeysSetTier extends SvcmCommand {
  /** `keys allow` and `keys hide` are the words to learn. */
  static override hidden = true;
  static override summary = "Change the tier of keys in svcm.yaml.";
  static override description =
    "svcm shows and writes an editable key, only shows a read-only key, and does neither with a never-exposed key. The command also confirms the keys, and changes no other byte. A secret stays never-exposed.";
  static override examples = [
    "<%= config.bin %> keys set-tier editable LOG_LEVEL",
    "<%= config.bin %> keys set-tier never-exposed HOST PORT --dry-run",
  ];
  static override args = {
    tier: Args.string({ ignoreStdin: true, required: true, description: `New tier: ${tiers.join(", ")}.` }),
    key: Args.string({
      ignoreStdin: true,
      description: "Key in svcm.yaml. The tier may also come last.",
      multiple: true,
    }),
  };
  static override flags = { "dry-run": dryRunFlag };

  async run() {
    const { args, flags } = await this.parse(KeysSetTier);
    const { tier, keys } = readTier([args.tier, ...(args.key ?? [])]);
    if (keys.length === 0) throw new UsageError("No key was given. Accepted: KEY.", "svcm keys list shows the keys");
    const response = await this.execute(keysSetTier, { tier, keys, dryRun: flags["dry-run"] });
    return printKeysEdit(this, response, `Now ${tier}`);
  }
}

function isTier(word: string | undefined): word is (typeof tiers)[number] {
  return tiers.some((tier) => tier === word);
}

/** Either the first or the last word is the tier. */
function readTier(words: readonly string[]) {
  const [first, last] = [words[0], words.at(-1)];
  if (isTier(first)) return { tier: first, keys: words.slice(1) };
  if (isTier(last)) return { tier: last, keys: words.slice(0, -1) };
  throw new UsageError(`None of these is a tier: ${words.join(", ")}. Accepted: ${tiers.join(", ")}.`, tierHint(words));
}

/** A word that does not look like a variable was meant as the tier. Only a similar tier is proposed for it. */
function tierHint(words: readonly string[]): string {
  const typed = [words[0], words.at(-1)].find((word) => word !== undefined && !/^[A-Z_][A-Z\d_]*$/.test(word));
  if (typed === undefined) return `svcm keys set-tier editable ${words.join(" ")}`;
  const tier = suggest(typed, tiers);
  const keys = words.filter((word) => word !== typed);
  if (tier === undefined)
    return `svcm keys list shows the tier of each key, and svcm keys set-tier --help what each means`;
  return ["svcm keys set-tier", tier, ...(keys.length > 0 ? keys : ["KEY"])].join(" ");
}
