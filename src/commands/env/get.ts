import { shellQuote } from "../../core/words/text.ts";
import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { envApp, envRead, type EnvAppResponse } from "../../core/index.ts";
import { pickEnvironment, envFlags } from "../base.ts";
import { NodeCommand } from "../terminal/node-command.ts";
import { paint, stdoutScreen } from "../terminal/screen.ts";
import type { Column } from "../terminal/table.ts";

export default class EnvGet extends NodeCommand {
  static override summary = "Show the visible keys of an env file.";
  static override description =
    "Without a KEY, shows every editable and read-only key; an editable key that is not set shows its default. With one KEY, prints only its value, for use in scripts. A ? marks a key whose tier is a guess of svcm init. Secrets are never shown.";
  static override examples = [
    "<%= config.bin %> env get --environment production",
    "<%= config.bin %> env get PAGE_SIZE",
    "<%= config.bin %> env get --app api",
    "<%= config.bin %> env get --json",
  ];
  static override args = {
    key: Args.string({
      ignoreStdin: true,
      description: "Runtime key to show. Defaults to all visible keys.",
      multiple: true,
    }),
  };
  static override flags = {
    ...envFlags,
    app: Flags.string({
      summary: "Show what a start gives to this app of the ecosystem file, where each value is from, and what runs.",
      helpValue: "<name>",
    }),
  };

  async run() {
    const { args, flags } = await this.parse(EnvGet);
    const keys = args.key ?? [];
    if (flags.app !== undefined) return this.#showApp(flags.app, keys, pickEnvironment(flags));
    const { response } = await this.execute(envRead, {
      ...pickEnvironment(flags),
      keys: keys.length > 0 ? keys : undefined,
    });
    if (this.jsonEnabled()) return response;
    const rows = Object.entries(response.values);
    if (keys.length === 1) this.logExactly(rows[0]?.[1] ?? "");
    else {
      this.log(paint.dim(`${response.path ?? response.fileName} (${response.environment})`));
      this.log(rows.length === 0 ? NO_KEY : await this.#table(response.editableKeys, rows));
    }
    return response;
  }

  async #showApp(app: string, keys: readonly string[], place: ReturnType<typeof pickEnvironment>) {
    const input = { ...place, app, keys: keys.length > 0 ? [...keys] : undefined };
    const response = await this.execute(envApp, input);
    const { environment, values, unknown, missing } = response;
    if (keys.length === 1) this.logExactly(values[0]?.value ?? "");
    else {
      const { renderTable } = await import("../terminal/table.ts");
      const head = paint.dim(`${app} (${environment})`);
      if (values.length === 0) this.log(`${head}\n${NO_KEY}`);
      else this.print((screen) => `${head}\n${renderTable(APP_COLUMNS, values, screen)}`);
      for (const sentence of missing) this.log(sentence);
      if (unknown !== undefined) this.log(`svcm does not know with which values it runs: ${unknown}`);
      if (values.some(({ running }) => running === "former")) this.log(`Next: svcm apply --app ${shellQuote(app)}`);
    }
    return response;
  }

  async #table(editableKeys: readonly string[], rows: readonly (readonly [string, string])[]): Promise<string> {
    const { facts } = await this.ports();
    const guesses = new Set(Object.keys((await facts.project())?.guesses ?? {}));
    const editable = new Set(editableKeys);
    const { renderTable } = await import("../terminal/table.ts");
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

const NO_KEY = "No key may be shown. To permit one: svcm keys allow KEY";

type AppValue = EnvAppResponse["values"][number];

const APP_COLUMNS: readonly Column<AppValue>[] = [
  { heading: "KEY", cell: ({ key }) => key },
  { heading: "VALUE", cell: ({ value }) => value, shorten: "middle" },
  { heading: "FROM", cell: sourceText, shorten: "middle" },
  {
    heading: "RUNNING",
    cell: ({ running }) => RUNNING_TEXTS[running],
    colour: ({ running }, { yellow, dim }) => (running === "former" ? yellow : dim),
  },
];

const RUNNING_TEXTS: Readonly<Record<AppValue["running"], string>> = {
  same: "same",
  former: "another value",
  partly: "same; not every instance runs",
  unknown: "unknown",
  "not running": "-",
};

function sourceText({ source, file, overridden }: AppValue): string {
  if (file === null) return source === "default" ? "default" : "-";
  return overridden.length === 0 ? file : `${file}, not ${overridden.join(", ")}`;
}
