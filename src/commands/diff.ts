import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { diffFormats, renderDiff, deploymentsDiff } from "../core/index.ts";
import { SvcmCommand } from "./base.ts";
import { fold } from "./terminal/fold.ts";
import { paint, unpainted } from "./terminal/paint.ts";
import { stdoutScreen } from "./terminal/screen.ts";
import { fileFlag } from "./terminal/document-argument.ts";

export default class Diff extends SvcmCommand {
  static override summary = "Explain what changed in deployments.yaml since a Git revision.";
  static override description =
    "Lists deploy targets that were added, removed, changed or renamed, and changes to ports, interfaces and the environment, each with the PM2 processes that it affects. Changes to comments, order and formatting do not count.";
  static override examples = [
    "<%= config.bin %> diff",
    "<%= config.bin %> diff HEAD --exit-code",
    "<%= config.bin %> diff HEAD~1 --to HEAD",
    "<%= config.bin %> diff --format markdown > diff.md",
  ];
  static override args = {
    revision: Args.string({ ignoreStdin: true, default: "HEAD", description: "Git revision to compare with." }),
  };
  static override flags = {
    to: Flags.string({
      summary: "Git revision to compare, instead of the work tree.",
      helpValue: "<revision>",
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
    if (flags["exit-code"] && report.changes.length > 0) this.answerNo();
    if (!this.jsonEnabled()) {
      if (flags.format === "text") this.log(fold(await renderDiff(report, "text", paint), stdoutScreen()));
      else this.logExactly(await renderDiff(report, flags.format, unpainted));
    }
    return report;
  }
}
