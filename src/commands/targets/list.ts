import { refusal, suiteCheck, type Issue, type SuiteCheck } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { ask } from "../terminal/ask.ts";
import { stdoutScreen } from "../terminal/screen.ts";
import { verdictColour } from "../terminal/status.ts";
import { fileFlag } from "../terminal/suite-argument.ts";
import { renderTable } from "../terminal/table.ts";

export default class TargetsList extends SvcmCommand {
  static override summary = "List the deploy targets in deployments.yaml and whether each is valid.";
  static override examples = ["<%= config.bin %> targets list", "<%= config.bin %> targets list --json"];
  static override flags = { file: fileFlag };

  async run() {
    const { flags } = await this.parse(TargetsList);
    const check = await ask(suiteCheck, flags, { file: flags.file, section: "deployments" });
    const suite = check.shown();
    if (suite === undefined) throw refusal("SUITE_FILE_FAILED", check.response.issues);
    const targets = targetsOf(suite, check);
    if (!this.jsonEnabled()) this.log(tableOf(targets, check.response.file));
    return { file: check.response.file, deployments: targets };
  }
}

type Target = ReturnType<typeof targetsOf>[number];

/** The entries as they are, and what is wrong with each. */
function targetsOf(suite: unknown, { response }: SuiteCheck) {
  const list = (suite as { deployments?: unknown } | null)?.deployments;
  const entries: unknown[] = Array.isArray(list) ? list : [];
  const issues = new Map(entries.map((_, index): [unknown, Issue[]] => [index, []]));
  for (const issue of response.issues) issues.get(issue.path[1])?.push(issue);
  return entries.map((entry, index) => ({ entry, issues: issues.get(index) ?? [] }));
}

function tableOf(targets: readonly Target[], file: string): string {
  if (targets.length === 0) return `${file} has no deploy targets.`;
  const field = (name: string) => (target: Target) => textOf((target.entry as Record<string, unknown> | null)?.[name]);
  return renderTable<Target>(
    [
      { heading: "NAME", cell: field("name"), shorten: "middle" },
      { heading: "DEPLOY TARGET", cell: field("deployTarget"), shorten: "end" },
      { heading: "SERVICE TYPE", cell: field("serviceType"), shorten: "end", spare: 1 },
      { heading: "PROTOCOL", cell: field("runtimeProtocol"), spare: 4 },
      { heading: "RUNTIME", cell: field("runtime"), shorten: "end", spare: 3 },
      { heading: "REGION", cell: field("region"), shorten: "end", spare: 2 },
      { heading: "PM2 PROFILE", cell: field("pm2Profile"), spare: 5 },
      {
        heading: "VERDICT",
        cell: ({ issues }) => issues.map(({ code }) => code).join(", ") || "valid",
        shorten: "fold",
        colour: ({ issues }, paint) => verdictColour(issues.length === 0, paint),
      },
    ],
    targets,
    stdoutScreen(),
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}
