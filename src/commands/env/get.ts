import * as Args from "@oclif/core/args";
import { envRead } from "../../core/index.ts";
import { pickEnvironment, envFlags } from "../base.ts";
import { NodeCommand } from "../terminal/node-command.ts";
import { paint } from "../terminal/paint.ts";
import { stdoutScreen } from "../terminal/screen.ts";
import { renderTable } from "../terminal/table.ts";

export default class EnvGet extends NodeCommand {
  static override summary = "Show the visible keys of an env file.";
  static override description =
    "Without a KEY, shows every editable and read-only key; an editable key that is not set shows its default. With one KEY, prints only its value, for use in scripts. A ? marks a key whose tier is a guess of svcm init. Secrets are never shown.";
  static override examples = [
    "<%= config.bin %> env get --environment staging",
    "<%= config.bin %> env get SVC_HTTP_FRAMEWORK",
    "<%= config.bin %> env get --json",
  ];
  static override args = {
    key: Args.string({
      ignoreStdin: true,
      description: "Runtime key to show. Defaults to all visible keys.",
      multiple: true,
    }),
  };
  static override flags = envFlags;

  async run() {
    const { args, flags } = await this.parse(EnvGet);
    const keys = args.key ?? [];
    const { response } = await this.execute(envRead, {
      ...pickEnvironment(flags),
      keys: keys.length > 0 ? keys : undefined,
    });
    if (this.jsonEnabled()) return response;
    const rows = Object.entries(response.values);
    if (keys.length === 1) this.logExactly(rows[0]?.[1] ?? "");
    else {
      this.log(paint.dim(`${response.path ?? response.fileName} (${response.environment})`));
      this.log(await this.#table(response.editableKeys, rows));
    }
    return response;
  }

  async #table(editableKeys: readonly string[], rows: readonly (readonly [string, string])[]): Promise<string> {
    const { facts } = await this.ports();
    const guesses = new Set(Object.keys((await facts.project())?.guesses ?? {}));
    const editable = new Set(editableKeys);
    const table = renderTable(
      [
        { heading: "KEY", cell: ([key]) => (guesses.has(key) ? `${key} ?` : key) },
        { heading: "VALUE", cell: ([, value]) => value, shorten: "middle" },
        { heading: "TIER", cell: ([key]) => (editable.has(key) ? "editable" : "read-only"), dropPriority: 1 },
      ],
      rows,
      stdoutScreen(),
    );
    const count = rows.filter(([key]) => guesses.has(key)).length;
    return count === 0 ? table : [table, ...(await import("../terminal/guesses.ts")).guessNote(count)].join("\n");
  }
}
