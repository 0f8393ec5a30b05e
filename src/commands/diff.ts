import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { diffFormats, renderDiff, suiteDiff } from "../core/index.ts";
import { SvcmCommand } from "./base.ts";
import { ask } from "./terminal/ask.ts";
import { fold } from "./terminal/fold.ts";
import { paint } from "./terminal/paint.ts";
import { stdoutScreen } from "./terminal/screen.ts";
import { fileFlag } from "./terminal/validation.ts";

export default class Diff extends SvcmCommand {
  static override summary = "Tell what a change of deployments.yaml means since a Git revision.";
  static override description =
    "Deploy targets that come, go, change and are renamed, ports, interfaces and the environment, with the processes that each of them touches. Comments, order and the way of writing are no change.";
  static override examples = [
    "<%= config.bin %> diff",
    "<%= config.bin %> diff main --exit-code",
    "<%= config.bin %> diff v1.0.0 --to v1.1.0",
    "<%= config.bin %> diff origin/main --format markdown > diff.md",
  ];
  static override args = {
    revision: Args.string({ default: "HEAD", description: "Git revision that is compared with." }),
  };
  static override flags = {
    to: Flags.string({ summary: "Compare with this Git revision, not with the work tree.", helpValue: "<revision>" }),
    file: fileFlag,
    format: Flags.option({ options: diffFormats, summary: "How to tell it: for a terminal, or for a comment." })({
      default: "text",
    }),
    "exit-code": Flags.boolean({ summary: "Exit 1 where there is a change in meaning.", default: false }),
  };

  async run() {
    const { args, flags } = await this.parse(Diff);
    const report = await ask(suiteDiff, flags, { file: flags.file, from: args.revision, to: flags.to });
    if (flags["exit-code"] && report.changes.length > 0) this.answerNo();
    if (!this.jsonEnabled()) {
      const screen = stdoutScreen();
      const text = await renderDiff(report, flags.format, await paint(screen.colours));
      this.log(flags.format === "text" ? await fold(text, screen) : text);
    }
    return report;
  }
}
