import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { diffFormats, renderDiff, deploymentsDiff, renderPlan, rolloutPlan } from "../core/index.ts";
import { SvcmCommand } from "./base.ts";
import { fold } from "./terminal/table.ts";
import { paint, unpainted, stdoutScreen } from "./terminal/screen.ts";
import { fileFlag } from "./terminal/flags.ts";

export default class Diff extends SvcmCommand {
  static override summary = "Explain what changed in deployments.yaml since a Git revision.";
  static override description =
    "Lists deploy targets that were added, removed, changed or renamed, and changes to ports, interfaces and the environment, each with the PM2 processes that it affects. Ignores changes to comments, order and formatting. With --environment, the plan of `svcm plan --from` follows.";
  static override examples = [
    "<%= config.bin %> diff",
    "<%= config.bin %> diff HEAD --exit-code",
    "<%= config.bin %> diff HEAD~1 --to HEAD",
    "<%= config.bin %> diff --format markdown > diff.md",
    "<%= config.bin %> diff origin/main --environment production --format markdown",
  ];
  static override args = {
    revision: Args.string({ ignoreStdin: true, default: "HEAD", description: "Git revision to compare with." }),
  };
  static override flags = {
    to: Flags.string({
      summary: "Git revision to compare it with, instead of the work tree.",
      helpValue: "<revision>",
      exclusive: ["environment"],
    }),
    environment: Flags.string({
      char: "e",
      summary: "Also show the plan of this environment's PM2 apps, from the revision to the work tree.",
      helpValue: "<name>",
    }),
    file: fileFlag,
    format: Flags.option({
      options: diffFormats,
      summary: "Text for a terminal, or Markdown for a comment on a pull request.",
    })({
      default: "text",
    }),
    "exit-code": Flags.boolean({ summary: "Exit 1 if anything changed.", default: false }),
  };

  async run() {
    const { args, flags } = await this.parse(Diff);
    const report = await this.execute(deploymentsDiff, { file: flags.file, from: args.revision, to: flags.to });
    const { environment, format } = flags;
    const plan =
      environment === undefined ? undefined : await this.execute(rolloutPlan, { environment, from: args.revision });
    if (flags["exit-code"] && (report.changes.length > 0 || plan?.changed)) this.setExitCode(1);
    if (!this.jsonEnabled()) {
      const painted = format === "text" ? paint : unpainted;
      const parts = [
        await renderDiff(report, format, painted),
        ...(plan ? [await renderPlan(plan, format, painted)] : []),
      ];
      if (format === "text") this.log(fold(parts.join("\n\n"), stdoutScreen()));
      else this.logExactly(parts.join("\n\n"));
    }
    return { ...report, ...(plan && { plan }) };
  }
}
