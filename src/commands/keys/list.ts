import { keysList, type ListedKey } from "../../core/index.ts";
import { NodeCommand } from "../terminal/node-command.ts";
import { guessNote } from "../terminal/guesses.ts";
import { groupBy } from "../../core/words/record.ts";
import { pluralize } from "../../core/words/text.ts";
import { withVerdict } from "../terminal/screen.ts";
import { renderTable, type Column } from "../terminal/table.ts";

export default class KeysList extends NodeCommand {
  static override summary = "List the keys of the runtime contract that applies.";
  static override description =
    "Shows the kind and tier of each key, and its source: svcm.yaml, config/runtime-contract.yaml, the packaged contract, or an unconfirmed guess of svcm init. svcm never shows or writes a key that is not listed. Values are not shown.";
  static override examples = ["<%= config.bin %> keys list", "<%= config.bin %> keys list --json"];

  async run() {
    await this.parse(KeysList);
    const response = await this.execute(keysList, {});
    const { keys } = response;
    const guesses = keys.filter(({ guess }) => guess !== undefined);
    const tiers = [...groupBy(keys, ({ tier }) => tier)].map(([tier, ones]) => `${ones.length} ${tier}`);
    const text = keys.length === 0 ? "No key is declared." : `${pluralize(keys.length, "key")}: ${tiers.join(", ")}.`;
    this.print((screen) =>
      withVerdict({ text }, [renderTable(COLUMNS, keys, screen), ...guessNote(guesses.length)].join("\n")),
    );
    return response;
  }
}

const COLUMNS: readonly Column<ListedKey>[] = [
  { heading: "KEY", cell: ({ key }) => key },
  { heading: "KIND", cell: ({ kind }) => kind },
  { heading: "TIER", cell: ({ tier }) => tier },
  { heading: "SOURCE", cell: ({ source }) => source },
  { heading: "WHY", cell: ({ guess = "" }) => guess, shorten: "fold", dropPriority: 1 },
];
