import { refusal, suiteCheck, type SuiteCheck } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { ask } from "../terminal/ask.ts";
import { stdoutScreen } from "../terminal/screen.ts";
import { verdictColour } from "../terminal/status.ts";
import { fileFlag } from "../terminal/suite-argument.ts";
import { renderTable } from "../terminal/table.ts";

export default class InterfacesList extends SvcmCommand {
  static override summary = "List the interface adapters in deployments.yaml and whether each is valid.";
  static override examples = ["<%= config.bin %> interfaces list", "<%= config.bin %> interfaces list --json"];
  static override flags = { file: fileFlag };

  async run() {
    const { flags } = await this.parse(InterfacesList);
    const check = await ask(suiteCheck, flags, { file: flags.file, section: "interfaces" });
    const suite = check.shown();
    if (suite === undefined) throw refusal("SUITE_FILE_FAILED", check.response.issues);
    const adapters = adaptersOf(suite, check);
    if (!this.jsonEnabled()) this.log(tableOf(adapters, check.response.file));
    return { file: check.response.file, interfaces: adapters };
  }
}

type Adapter = ReturnType<typeof adaptersOf>[number];

function adaptersOf(suite: unknown, { response }: SuiteCheck) {
  const list = (suite as { interfaces?: unknown } | null)?.interfaces;
  const entries: unknown[] = Array.isArray(list) ? list : [];
  return entries.map((entry, index) => ({
    number: index + 1,
    entry,
    issues: response.issues.filter(({ path }) => path[1] === index),
  }));
}

function tableOf(adapters: readonly Adapter[], file: string): string {
  if (adapters.length === 0) return `${file} has no interface adapters.`;
  const field =
    (name: string) =>
    ({ entry }: Adapter): string => {
      const value = (entry as Record<string, unknown> | null)?.[name];
      return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
    };
  return renderTable<Adapter>(
    [
      { heading: "NUMBER", cell: ({ number }) => String(number), side: "right" },
      { heading: "TYPE", cell: field("type") },
      { heading: "FRAMEWORK", cell: field("framework"), spare: 2 },
      { heading: "ENTRYPOINT", cell: field("entrypoint"), shorten: "middle", spare: 1 },
      { heading: "CONTROLLER", cell: field("controller"), shorten: "middle" },
      {
        heading: "VERDICT",
        cell: ({ issues }) => issues.map(({ code }) => code).join(", ") || "valid",
        shorten: "fold",
        colour: ({ issues }, paint) => verdictColour(issues.length === 0, paint),
      },
    ],
    adapters,
    stdoutScreen(),
  );
}
