import { refusal, suiteCheck, type Issue, type SuiteCheck } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { ask } from "../terminal/ask.ts";
import { stdoutScreen } from "../terminal/screen.ts";
import { renderTable } from "../terminal/table.ts";
import { fileFlag } from "../terminal/validation.ts";

const FIELDS = ["deployTarget", "serviceType", "runtimeProtocol", "runtime", "region", "pm2Profile"];

export default class TargetsList extends SvcmCommand {
  static override summary = "List the deploy targets of deployments.yaml, each with its verdict.";
  static override examples = ["<%= config.bin %> targets list", "<%= config.bin %> targets list --json"];
  static override flags = { file: fileFlag };

  async run() {
    const { flags } = await this.parse(TargetsList);
    const check = await ask(suiteCheck, flags, { file: flags.file, section: "deployments" });
    if (check.suite === undefined) throw refusal("SUITE_FILE_FAILED", check.response.issues);
    const targets = targetsOf(check);
    if (!this.jsonEnabled()) this.log(await tableOf(targets));
    return { file: check.response.file, deployments: targets };
  }
}

type Target = ReturnType<typeof targetsOf>[number];

/** The entries as they stand, and what is wrong with each. */
function targetsOf({ suite, response }: SuiteCheck) {
  const list = (suite as { deployments?: unknown } | null)?.deployments;
  const entries: unknown[] = Array.isArray(list) ? list : [];
  const issues = new Map(entries.map((_, index): [unknown, Issue[]] => [index, []]));
  for (const issue of response.issues) issues.get(issue.path[1])?.push(issue);
  return entries.map((entry, index) => ({ entry, issues: issues.get(index) ?? [] }));
}

function tableOf(targets: readonly Target[]): Promise<string> {
  if (targets.length === 0) return Promise.resolve("No deploy target is declared.");
  const cell =
    (field: string) =>
    ({ entry }: Target) =>
      textOf((entry as Record<string, unknown> | null)?.[field]);
  return renderTable(
    [
      { heading: "NAME", cell: cell("name") },
      ...FIELDS.map((field) => ({ heading: heading(field), cell: cell(field) })),
      { heading: "VERDICT", cell: ({ issues }) => issues.map(({ code }) => code).join(", ") || "valid" },
    ],
    targets,
    stdoutScreen(),
  );
}

function heading(field: string): string {
  return field.replaceAll(/([A-Z])/g, " $1").toUpperCase();
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}
