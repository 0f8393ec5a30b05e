import { refusal, suiteCheck, type SuiteCheck } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { ask } from "../terminal/ask.ts";
import { suiteFlags } from "../terminal/entry-flags.ts";
import { stdoutScreen } from "../terminal/screen.ts";
import { renderTable } from "../terminal/table.ts";

const FIELDS = ["type", "framework", "entrypoint", "controller"];

export default class InterfacesList extends SvcmCommand {
  static override summary = "List the interface adapters of deployments.yaml, each with its verdict.";
  static override examples = ["<%= config.bin %> interfaces list", "<%= config.bin %> interfaces list --json"];
  static override flags = { file: suiteFlags.file };

  async run() {
    const { flags } = await this.parse(InterfacesList);
    const check = await ask(suiteCheck, flags, { file: flags.file, section: "interfaces" });
    if (check.suite === undefined) throw refusal("SUITE_FILE_FAILED", check.response.issues);
    const adapters = adaptersOf(check);
    if (!this.jsonEnabled()) this.log(await tableOf(adapters));
    return { file: check.response.file, interfaces: adapters };
  }
}

type Adapter = ReturnType<typeof adaptersOf>[number];

function adaptersOf({ suite, response }: SuiteCheck) {
  const list = (suite as { interfaces?: unknown } | null)?.interfaces;
  const entries: unknown[] = Array.isArray(list) ? list : [];
  return entries.map((entry, index) => ({
    number: index + 1,
    entry,
    issues: response.issues.filter(({ path }) => path[1] === index),
  }));
}

function tableOf(adapters: readonly Adapter[]): Promise<string> {
  if (adapters.length === 0) return Promise.resolve("No interface adapter is declared.");
  const cell =
    (field: string) =>
    ({ entry }: Adapter): string => {
      const value = (entry as Record<string, unknown> | null)?.[field];
      return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
    };
  return renderTable(
    [
      { heading: "NUMBER", cell: ({ number }) => String(number) },
      ...FIELDS.map((field) => ({ heading: field.toUpperCase(), cell: cell(field) })),
      { heading: "VERDICT", cell: ({ issues }) => issues.map(({ code }) => code).join(", ") || "valid" },
    ],
    adapters,
    stdoutScreen(),
  );
}
